import { expect, it } from 'vitest';
import { isHttpAddress } from './is-http-address.ts';

it.each([
  ['http://host.test/path', true],
  ['https://host.test', true],
  ['ftp://host.test', false],
  ['host.test', false],
  ['', false],
])('%s is an HTTP address: %s', (text, expected) => {
  expect(isHttpAddress(text)).toBe(expected);
});
