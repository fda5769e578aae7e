import type { Instant } from './status.ts';

/** The time, as a dependency: tests give their own. */
export interface Clock {
  now(): Instant;
}
