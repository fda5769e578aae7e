import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { DURATION_LIMIT_MS, parseDuration } from './duration.ts';

test.for([
  ['500ms', 500],
  ['90s', 90_000],
  ['15m', 900_000],
  ['2h', 7_200_000],
  ['1d', 86_400_000],
  ['0s', 0],
  ['24d', 2_073_600_000],
] as const)('%s is %i milliseconds', ([text, ms]) => {
  expect(parseDuration(text)).toBe(ms);
});

test.for([
  '',
  '15',
  'm',
  '-5m',
  '+5m',
  '1.5h',
  '1h30m',
  '15 m',
  ' 15m',
  '15m\n',
  '15M',
  '15min',
  '25d',
  '1e3s',
  '٣m',
])('%j is no duration', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});

test('a number of any size gives a time that a timer takes, or nothing', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: 0n }), fc.constantFrom('ms', 's', 'm', 'h', 'd'), (count, unit) => {
      const ms = parseDuration(`${count}${unit}`);
      if (ms === undefined) return count > 24n;
      return Number.isInteger(ms) && ms >= 0 && ms <= DURATION_LIMIT_MS;
    }),
  );
});
