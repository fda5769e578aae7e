import { afterAll, beforeAll, describe } from 'vitest';
import { workContract } from '../contract/work.contract.ts';
import { pushWorkTemplate } from '../support/coder/real-coder.ts';
import { onCoder, type WorkPlace } from '../support/places/work-place.ts';
import { realCoder, realFleet } from './real-fleet.ts';

describe('the coder backend, on a real Coder server', () => {
  let place: WorkPlace;
  beforeAll(async () => {
    place = await onCoder(async ({ config, address }) => {
      const template = await pushWorkTemplate(realCoder(), address);
      return realFleet(`${config}projects:\n  Setup: { backend: coder, template: ${template} }\n`);
    });
  });
  afterAll(() => place[Symbol.asyncDispose]());
  workContract(() => place);
});
