import type { Ask, FleetUnderTest } from '../support/fleets/fleet-under-test.ts';

/** What a contract suite is run on: a fleet, and a way to ask it. */
export interface Subject {
  readonly fleet: () => FleetUnderTest;
  readonly ask: Ask;
}
