import { afterAll, beforeAll, describe } from 'vitest';
import { contract } from '../contract/contract.ts';
import { askAs } from '../support/fleet-under-test.ts';
import { realFleet, type RealFleet } from './real-fleet.ts';

describe('the coder backend, on a real Coder server', () => {
  let fleet: RealFleet;
  beforeAll(() => {
    fleet = realFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
  contract({ fleet: () => fleet, ask: (operation, input) => askAs(fleet.fleet)(operation, input) });
});
