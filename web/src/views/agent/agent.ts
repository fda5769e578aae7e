import type { Answer } from '../../../../src/operations/table.ts';

export type Agent = Answer<'show_agent'>['agent'];
