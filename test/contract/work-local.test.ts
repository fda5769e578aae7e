import { afterAll, beforeAll, describe } from 'vitest';
import { localWorkPlace, type WorkPlace } from '../support/places/work-place.ts';
import { workContract } from './work.contract.ts';

describe('the local backend', () => {
  let place: WorkPlace;
  beforeAll(async () => {
    place = await localWorkPlace();
  });
  afterAll(() => place[Symbol.asyncDispose]());
  workContract(() => place);
});
