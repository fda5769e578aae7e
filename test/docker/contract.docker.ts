import { afterAll, beforeAll, describe } from 'vitest';
import { contract } from '../contract/contract.ts';
import { askAs } from '../support/fleets/fleet-under-test.ts';
import { dockerFleet, type DockerFleet } from './docker-fleet.ts';

/** Other tests push templates that the contract knows nothing of. */
const CONFIG = `version: 1
backend: coder
projects:
  Setup: { backend: coder, template: setup }
  DataOne: { backend: coder, template: dataone }
`;

describe('the coder backend, with containers', () => {
  let fleet: DockerFleet;
  beforeAll(async () => {
    fleet = await dockerFleet(CONFIG);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());
  contract({ fleet: () => fleet, ask: (operation, input) => askAs(fleet.fleet)(operation, input) });
});
