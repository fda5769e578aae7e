import { expect, it } from 'vitest';
import { pauseOf } from './pause-of.ts';

const HOUR = 3_600_000;

it.each([
  ['seconds', 429, { 'retry-after': '30' }, 30_000],
  ['a date', 503, { 'retry-after': new Date(Date.now() + 10 * HOUR).toUTCString() }, HOUR],
  ['a date that is over', 429, { 'retry-after': new Date(0).toUTCString() }, 1_000],
  ['a time without end', 403, { 'retry-after': '99999999' }, HOUR],
  ['nothing', 429, {}, 60_000],
  ['a limit that is used up', 403, { 'x-ratelimit-remaining': '0' }, 60_000],
  ['a limit until then', 403, { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '9999999999' }, HOUR],
  ['a limit of GitLab', 429, { 'ratelimit-remaining': '0', 'ratelimit-reset': '1' }, 1_000],
])('is as long as a forge asks for by %s', (_, status, headers, pause) => {
  expect(pauseOf(status, headers)).toBe(pause);
});

it.each([
  ['a refusal', 403, {}],
  ['a refusal with a limit that is not used up', 403, { 'x-ratelimit-remaining': '12' }],
  ['a defect', 500, { 'retry-after': '30' }],
])('is none after %s', (_, status, headers) => {
  expect(pauseOf(status, headers)).toBeUndefined();
});
