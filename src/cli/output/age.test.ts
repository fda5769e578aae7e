import { expect, it } from 'vitest';
import { parseAge } from './age.ts';

it('reads ages, also such as no timer can wait for', () => {
  expect(['90s', '15m', '12h', '30d', '400d', '0d'].map(parseAge)).toEqual([
    90_000, 900_000, 43_200_000, 2_592_000_000, 34_560_000_000, 0,
  ]);
});

it.each(['', '30', 'd', '-1d', '1.5d', '30 d', '30d ', '1y', '1234567d'])('%j is not an age', (text) => {
  expect(() => parseAge(text)).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: expect.stringContaining(JSON.stringify(text)),
      details: { field: 'older_than' },
    }),
  );
});
