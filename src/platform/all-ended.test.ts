import { expect, it } from 'vitest';
import { allEnded } from './all-ended.ts';

it('throws the first reason in the list, after all have ended', async () => {
  let ended = false;
  const { promise: first, reject: failFirst } = Promise.withResolvers<number>();
  const last = first.catch(() => (ended = true));
  const both = allEnded([first, Promise.reject(new Error('quicker')), last]);
  setImmediate(() => failFirst(new Error('first in the list')));
  await expect(both).rejects.toThrow('first in the list');
  expect(ended).toBe(true);
  expect(await allEnded([Promise.resolve(1), Promise.resolve('two')])).toEqual([1, 'two']);
});
