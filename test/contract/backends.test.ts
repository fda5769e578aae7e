import { afterAll, beforeAll, describe } from 'vitest';
import { folderFleet } from '../support/fleets/folder-backend.ts';
import { askAs, type FleetUnderTest } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { contract } from './contract.ts';

const BACKENDS: Readonly<Record<string, () => FleetUnderTest>> = { local: localFleet, folder: folderFleet };

describe.each(Object.entries(BACKENDS))('the %s backend, by its operations', (_, open) => {
  let fleet: FleetUnderTest;
  beforeAll(() => {
    fleet = open();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
  contract({ fleet: () => fleet, ask: (operation, input) => askAs(fleet.fleet)(operation, input) });
});
