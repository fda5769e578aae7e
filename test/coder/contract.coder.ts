import { afterAll, beforeAll, describe } from 'vitest';
import { contract } from '../contract/contract.ts';
import { askAs } from '../support/fleets/fleet-under-test.ts';
import { realFleet, type RealFleet } from './real-fleet.ts';

/** The server has another template, for AgentAPI, which the contract knows nothing of. */
const CONFIG = `version: 1
backend: coder
projects:
  Setup: { backend: coder, template: setup }
  DataOne: { backend: coder, template: dataone }
`;

describe('the coder backend, on a real Coder server', () => {
  let fleet: RealFleet;
  beforeAll(async () => {
    fleet = await realFleet(CONFIG);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
  contract({ fleet: () => fleet, ask: (operation, input) => askAs(fleet.fleet)(operation, input) });
});
