import type { Actor } from '../domain/principal.ts';
import type { GcLimits, GcPart } from './gc-part.ts';

export interface Repaired {
  readonly agent_name: string;
  /** Why it could not be repaired. */
  readonly problem?: string;
}

/** Maintenance of a backend: `fleet gc`, `fleet doctor --repair`, and files that expire. */
export interface BackendUpkeep {
  /** Repairs the agents whose project's repository was moved. */
  repair(by: Actor): Promise<readonly Repaired[]>;
  /** The parts of the home that belong to this backend. */
  garbage(limits: GcLimits): Promise<readonly GcPart[]>;
  /** Removes what has expired. Every long-lived process calls it now and then, with or without the keeper. */
  expire(now: number): Promise<void>;
}
