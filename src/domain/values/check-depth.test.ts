import { expect, it } from 'vitest';
import { checkDepth, DEEPEST, isTooDeep } from './check-depth.ts';

it('JSON may be nested 500 levels deep, and no deeper', () => {
  checkDepth(nested(DEEPEST), 'The input');
  expect(isTooDeep(nested(DEEPEST))).toBe(false);
  expect(() => checkDepth(nested(DEEPEST + 1), 'The input')).toThrow(
    expect.objectContaining({
      code: 'INVALID_INPUT',
      message: 'The input is nested more than 500 levels deep.',
      details: { reason: 'too_deep', limit: 500 },
    }),
  );
});

it('values that are not nested are not deep, however many there are', () => {
  for (const value of [null, undefined, 'text', 7, Array.from({ length: 1_000 }, () => null)])
    expect(isTooDeep(value)).toBe(false);
});

/** A value under so many lists and objects. */
function nested(levels: number): unknown {
  let value: unknown = null;
  for (let level = 0; level < levels; level++) value = level % 2 === 0 ? [value] : { value };
  return value;
}
