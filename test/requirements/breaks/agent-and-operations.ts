import type { Break } from '../break.ts';

export const agentAndOperationBreaks: readonly Break[] = [];
