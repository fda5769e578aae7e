/** The kinds of agents that a runner of this version has a driver for. */
export const DRIVEN_KINDS: readonly string[] = ['command'];
