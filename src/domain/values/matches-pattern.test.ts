import { expect, it } from 'vitest';
import { matchesPattern } from './matches-pattern.ts';

it.each([
  ['files__read', 'files__read', true],
  ['files__read', 'files__*', true],
  ['files__read', '*read', true],
  ['files__read', 'f*s__*d', true],
  ['files__read', '*', true],
  ['files__reader', 'files__read', false],
  ['my-files__read', 'files__read', false],
  ['axb', 'a.b', false],
  ['a.b', 'a.b', true],
  ['a+(b)', 'a+(b)', true],
])('%s fits %s: %s', (name, pattern, fits) => {
  expect(matchesPattern(name, pattern)).toBe(fits);
});
