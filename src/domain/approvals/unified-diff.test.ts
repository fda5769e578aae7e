import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { array, assert, constantFrom, pre, property } from 'fast-check';
import { afterAll, expect, it } from 'vitest';
import { unifiedDiff } from './unified-diff.ts';

const directory = mkdtempSync(join(tmpdir(), 'fleet-diff-'));
afterAll(() => rmSync(directory, { recursive: true }));

it('shows the changed lines with three lines around them', () => {
  const before = ['one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', ''].join('\n');
  expect(unifiedDiff({ path: 'a.txt', before, after: before.replace('five', 'FIVE') })).toBe(
    [
      '--- a.txt',
      '+++ a.txt',
      '@@ -2,7 +2,7 @@',
      ' two',
      ' three',
      ' four',
      '-five',
      '+FIVE',
      ' six',
      ' seven',
      ' eight',
    ].join('\n'),
  );
});

it('shows a new file as added', () => {
  expect(unifiedDiff({ path: 'new.txt', before: null, after: 'one\ntwo\n' })).toBe(
    '--- /dev/null\n+++ new.txt\n@@ -0,0 +1,2 @@\n+one\n+two',
  );
});

it('shows a newline that is added at the end', () => {
  const diff = unifiedDiff({ path: 'a', before: 'one', after: 'one\n' });
  expect(diff.split('\n').slice(2)).toEqual(['@@ -1 +1 @@', '-one', '\\ No newline at end of file', '+one']);
});

it('is a patch that git applies, for any two texts', () => {
  const text = array(constantFrom('a', 'b', 'c', '', '@@ -1 +1 @@', '--- x'), { maxLength: 25 }).map(
    (lines) => lines.map((line) => `${line}\n`).join(''),
  );
  const file = join(directory, 'file.txt');
  assert(
    property(text, text, (before, after) => {
      pre(before !== after && before !== '' && after !== '');
      writeFileSync(file, before);
      const patch = `${unifiedDiff({ path: 'file.txt', before, after })}\n`;
      execFileSync('git', ['apply', '-p0', '--whitespace=nowarn', '-'], { cwd: directory, input: patch });
      expect(readFileSync(file, 'utf8')).toBe(after);
    }),
    { numRuns: 60 },
  );
});
