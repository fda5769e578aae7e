import type { Break } from '../break.ts';
import { agentBreaks } from './agent.ts';
import { operationBreaks1 } from './operations-1.ts';
import { operationBreaks2 } from './operations-2.ts';

export const agentAndOperationBreaks: readonly Break[] = [
  ...agentBreaks,
  ...operationBreaks1,
  ...operationBreaks2,
];
