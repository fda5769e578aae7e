import { expect, it } from 'vitest';
import { OPERATIONS } from './table.ts';
import { LOAD_OPERATION } from './load-operation.ts';

it('loads every operation of the table by its name', async () => {
  const loaded = await Promise.all(Object.values(LOAD_OPERATION).map((load) => load()));
  expect(loaded.map(({ name }) => name)).toEqual(Object.keys(LOAD_OPERATION));
  expect(new Set(loaded)).toEqual(new Set(OPERATIONS));
});
