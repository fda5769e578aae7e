import type { Break } from '../break.ts';

export const seedBreaks: readonly Break[] = [];
