import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { oldestNode } from '../../src/platform/package.ts';

const ROOT = join(import.meta.dirname, '..', '..');

/** Each place that must name the oldest Node, and how. */
const PLACES: readonly (readonly [file: string, pattern: RegExp])[] = [
  ['package-lock.json', /"node": ">=(\d+\.\d+)"/],
  ['README.md', /Node (\d+\.\d+) or newer/],
  ['bin/fleet.js', /Install Node (\d+\.\d+) or newer/],
  ['coder/docker/main.tf', /Node (\d+\.\d+) or newer/],
  ['coder/kubernetes/main.tf', /Node (\d+\.\d+) or newer/],
  ['docs/decisions/0006-node-when-the-machines-own-is-too-old.md', /needs Node (\d+\.\d+)/],
  ['.github/workflows/ci.yml', /node-version: '(\d+\.\d+)'/],
  ['.github/workflows/release.yml', /node-version: '(\d+\.\d+)'/],
];

it.each(PLACES)('%s names the Node of package.json', (file, pattern) => {
  expect(pattern.exec(readFileSync(join(ROOT, file), 'utf8'))?.[1]).toBe(oldestNode());
});

it.each(['bin/fleet.js', 'scripts/setup.mjs'])('%s compares with the Node of package.json', (file) => {
  const [major, minor] = oldestNode().split('.');
  const text = readFileSync(join(ROOT, file), 'utf8');
  expect(text).toMatch(new RegExp(`major === ${major} && minor (?:>=|<) ${minor}\\b`));
});

it('no file names another Node as the oldest', () => {
  const others = writtenFiles().flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(OLDEST)]
      .filter(([, version]) => version !== oldestNode())
      .map(([words]) => `${file}: ${words}`),
  );
  expect(others).toEqual([]);
});

/** A version of two numbers: one of three is the Node of some run. */
const OLDEST = /\b(?:Node(?:\.js)? |node-version: '?|"node": ">=)v?(\d+\.\d+)(?![.\d])/g;

function writtenFiles(): string[] {
  const folders = ['.ci', '.github', 'bin', 'coder', 'docs', 'libraries', 'schema', 'scripts', 'src'];
  const files = folders.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(ROOT.length + 1)),
  );
  return [...readdirSync(ROOT).filter((name) => /\.(?:md|json)$/.test(name)), ...files].filter(
    (file) => file !== 'package-lock.json',
  );
}
