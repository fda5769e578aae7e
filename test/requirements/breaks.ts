import type { Break } from './break.ts';
import { agentAndOperationBreaks } from './breaks/agent-and-operations.ts';
import { codingAgentBreaks } from './breaks/coding-agents.ts';
import { nameAndDoorBreaks } from './breaks/names-and-doors.ts';
import { onCoderBreaks } from './breaks/on-coder.ts';
import { orchestratorBreaks } from './breaks/orchestrator.ts';
import { seedBreaks } from './breaks/seeds.ts';

/** Every break that was written down, by row. */
export const breaks: readonly Break[] = [
  ...seedBreaks,
  ...agentAndOperationBreaks,
  ...codingAgentBreaks,
  ...nameAndDoorBreaks,
  ...orchestratorBreaks,
  ...onCoderBreaks,
];
