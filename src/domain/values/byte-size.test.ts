import { expect, it } from 'vitest';
import { parseByteSize } from './byte-size.ts';

it.each([
  ['64KB', 65_536],
  ['512MB', 536_870_912],
  ['2GB', 2_147_483_648],
  ['0MB', 0],
])('%s is %i bytes', (text, bytes) => {
  expect(parseByteSize(text)).toBe(bytes);
});

it.each(['512', 'MB', '1.5GB', '-1MB', '512mb', '5 MB', ''])('%j is not a size', (text) => {
  expect(parseByteSize(text)).toBeUndefined();
});
