import { afterAll, beforeAll, describe } from 'vitest';
import { coderWorkPlace, type WorkPlace } from '../support/places/work-place.ts';
import { workContract } from './work.contract.ts';

describe('the coder backend, on a stand-in for Coder', () => {
  let place: WorkPlace;
  beforeAll(async () => {
    place = await coderWorkPlace();
  });
  afterAll(() => place[Symbol.asyncDispose]());
  workContract(() => place);
});
