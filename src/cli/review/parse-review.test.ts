import { describe, expect, it } from 'vitest';
import { parseReview, quoteDiff } from './parse-review.ts';

const PATCH = `diff --git a/a.ts b/a.ts
index 1..2 100644
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,3 @@
 one
-two
+TWO
 three
diff --git a/gone.ts b/gone.ts
deleted file mode 100644
--- a/gone.ts
+++ /dev/null
@@ -1 +0,0 @@
-last
`;

describe('a review in an editor', () => {
  it('is empty when nothing was written', () => {
    expect(parseReview(quoteDiff('sony', PATCH))).toEqual({ comments: [], message: undefined });
  });

  it('has a comment for each text under a line, with its file, line, side and the line itself', () => {
    const text = quoteDiff('sony', PATCH)
      .replace('> +TWO\n', '> +TWO\nWhy in capitals?\n\nSecond paragraph.\n')
      .replace('> -two\n', '> -two\nKeep this.\n')
      .replace('> -last\n', '> -last\nStill needed.\n');
    expect(parseReview(text).comments).toEqual([
      { path: 'a.ts', line: 2, side: 'old', snippet: 'two', text: 'Keep this.' },
      { path: 'a.ts', line: 2, side: 'new', snippet: 'TWO', text: 'Why in capitals?\n\nSecond paragraph.' },
      { path: 'gone.ts', line: 1, side: 'old', snippet: 'last', text: 'Still needed.' },
    ]);
  });

  it('finds the file of names that git ends with a tab or quotes, and lines after one without an end', () => {
    const named = (name: string): string =>
      `diff --git a/x b/x\n--- /dev/null\n+++ ${name}\n@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new\n`;
    const names = ['b/with space.txt\t', '"b/t\\tq\\"b\\\\\\303\\251"', 'b/b/c.txt'];
    const text = quoteDiff('sony', names.map(named).join('')).replaceAll('> +new\n', '> +new\nhere\n');
    expect(parseReview(text).comments.map(({ path, line, side }) => [path, line, side])).toEqual(
      ['with space.txt', 't\tq"b\\é', 'b/c.txt'].map((path) => [path, 1, 'new']),
    );
  });

  it('has what stands above the diff as its message', () => {
    expect(parseReview(`Nearly there.\n${quoteDiff('sony', PATCH)}`).message).toBe('Nearly there.');
  });
});
