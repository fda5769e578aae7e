import { expect, it } from 'vitest';
import { parsePatch } from './parse-patch.ts';

it('numbers the lines of both sides, over several hunks', () => {
  const patch = `diff --git a/x b/x
--- a/x
+++ b/x
@@ -1,2 +1,3 @@ title
 one
-two
+2
+3
\\ No newline at end of file
@@ -10 +11 @@
-ten
+TEN
`;
  expect(parsePatch(patch).map(({ kind, text, old, new: after }) => [kind, text, old, after])).toEqual([
    ['hunk', '@@ -1,2 +1,3 @@ title', null, null],
    ['context', 'one', 1, 1],
    ['removed', 'two', 2, null],
    ['added', '2', null, 2],
    ['added', '3', null, 3],
    ['note', 'No newline at end of file', null, null],
    ['hunk', '@@ -10 +11 @@', null, null],
    ['removed', 'ten', 10, null],
    ['added', 'TEN', null, 11],
  ]);
});

it('takes lines that look like headings for what they are inside a hunk', () => {
  const lines = parsePatch('--- a/x\n+++ b/x\n@@ -1 +1 @@\n--- old\n+++ new\n');
  expect(lines.slice(1).map(({ kind, text }) => [kind, text])).toEqual([
    ['removed', '-- old'],
    ['added', '++ new'],
  ]);
});
