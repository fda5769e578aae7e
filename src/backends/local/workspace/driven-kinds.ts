import { ACP_KINDS } from '../../../runner/acp/acp-kinds.ts';

/** The kinds of agents that a runner of this version has a driver for. */
export const DRIVEN_KINDS: readonly string[] = ['command', ...ACP_KINDS];
