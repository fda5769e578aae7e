import type { Break } from './break.ts';
import { agentBreaks } from './breaks/agents.ts';
import { interfaceBreaks } from './breaks/interfaces.ts';

/** Changes of code outside of domain and fleet, which mutation testing does not reach. */
export const breaks: readonly Break[] = [...agentBreaks, ...interfaceBreaks];
