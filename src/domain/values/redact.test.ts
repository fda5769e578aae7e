import { expect, it } from 'vitest';
import { makeRedact } from './redact.ts';

it('takes secrets out of a text, wherever they stand', () => {
  const redact = makeRedact(['hunter2hunter2', 'another secret']);
  expect(redact('a hunter2hunter2, another secret and hunter2hunter2')).toBe(
    'a [hidden], [hidden] and [hidden]',
  );
});

it('takes a secret out of JSON too, where it is written with escapes', () => {
  const secret = 'a"quote\\and';
  expect(makeRedact([secret])(JSON.stringify({ secret }))).toBe('{"secret":"[hidden]"}');
});

it('takes the longer of two secrets out first', () => {
  expect(makeRedact(['12345678', '1234567890'])('1234567890')).toBe('[hidden]');
});

it('leaves words that are too short to be secrets', () => {
  expect(makeRedact(['1234567'])('1234567')).toBe('1234567');
  expect(makeRedact(['12345678'])('12345678')).toBe('[hidden]');
  expect(makeRedact([])('a text')).toBe('a text');
});
