import { PROCESS_LIMIT } from './process-group.ts';
import type { Link } from './with-links.ts';
import { worldSteps, type World } from './world.ts';

/** What a contained program sees, and how much of the machine it may use. */
export interface Cell {
  /** The file system that it sees; null for a program that sees that of the machine. */
  readonly world: World | null;
  /** What it finds at places of its own. */
  readonly links: readonly Link[];
  /** How many processes and threads it may have at once. */
  readonly processes: number;
  /** The file by which a process enters the group that bounds how many there can be; null without one. */
  readonly group: string | null;
  /** False for a program that reaches no other machine, and no port of this one. */
  readonly network: boolean;
}

/** Hides nothing. */
export const OPEN_CELL: Cell = {
  world: null,
  links: [],
  processes: PROCESS_LIMIT,
  group: null,
  network: true,
};

/** The steps that make the cell, as words for the init of a namespace. */
export function cellSteps({ world, group }: Cell): string[] {
  return [...(group === null ? [] : ['limit', group]), ...(world === null ? [] : worldSteps(world))];
}
