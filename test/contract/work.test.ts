import { afterAll, beforeAll, describe } from 'vitest';
import { coderWorkPlace, localWorkPlace, type WorkPlace } from '../support/work-place.ts';
import { workContract } from './work.contract.ts';

const BACKENDS: Readonly<Record<string, () => Promise<WorkPlace>>> = {
  local: localWorkPlace,
  coder: coderWorkPlace,
};

describe.each(Object.entries(BACKENDS))('the %s backend', (_, open) => {
  let place: WorkPlace;
  beforeAll(async () => {
    place = await open();
  });
  afterAll(() => place[Symbol.asyncDispose]());
  workContract(() => place);
});
