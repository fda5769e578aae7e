import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const TEST = join(import.meta.dirname, '..');

it('test/README.md has a row for every folder of test, in order', () => {
  const folders = readdirSync(TEST, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();
  const rows = readFileSync(join(TEST, 'README.md'), 'utf8').matchAll(/^\| `([a-z-]+)` \|/gm);
  expect([...rows].map(([, folder]) => folder)).toEqual(folders);
});
