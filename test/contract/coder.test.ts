import { afterAll, beforeAll, describe } from 'vitest';
import { coderFleet, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import { askAs } from '../support/fleets/fleet-under-test.ts';
import { contract } from './contract.ts';

describe('the coder backend, on a stand-in for Coder', () => {
  let fleet: CoderFleet;
  beforeAll(async () => {
    fleet = await coderFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
  contract({ fleet: () => fleet, ask: (operation, input) => askAs(fleet.fleet)(operation, input) });
});
