import { describe, expect, it } from 'vitest';
import { isStale, lineOfPatch, reviewTask, type ReviewComment } from './review-comment.ts';

const PATCH = `diff --git a/a.ts b/a.ts
--- a/a.ts
+++ b/a.ts
@@ -1,3 +1,4 @@ top
 one
-two
+TWO
+new
 three
@@ -10 +11,2 @@
 ten
+eleven
`;

const comment: ReviewComment = {
  id: '1',
  path: 'a.ts',
  line: 2,
  side: 'new',
  snippet: 'TWO',
  text: 'Why in capitals?',
  by: 'user:me',
  created_at: '2026-01-01T00:00:00.000Z',
};

describe('a line of a patch', () => {
  it.each([
    ['new', 1, 'one'],
    ['new', 2, 'TWO'],
    ['new', 3, 'new'],
    ['new', 4, 'three'],
    ['old', 2, 'two'],
    ['old', 3, 'three'],
    ['new', 12, 'eleven'],
    ['old', 10, 'ten'],
    ['new', 7, undefined],
  ] as const)('%s %i is %s', (side, line, text) => {
    expect(lineOfPatch(PATCH, side, line)).toBe(text);
  });
});

describe('a comment', () => {
  it('is stale when its line is another, or is gone', () => {
    expect(isStale(comment, PATCH)).toBe(false);
    expect(isStale({ ...comment, line: 3 }, PATCH)).toBe(true);
    expect(isStale(comment, undefined)).toBe(true);
    expect(isStale({ ...comment, snippet: '' }, undefined)).toBe(false);
  });

  it('becomes part of one task, with its place and the line', () => {
    expect(reviewTask([comment, { ...comment, side: 'old', snippet: '' }], 'Nearly there.')).toBe(
      `Review of your work. Please address each comment.

Nearly there.

a.ts:2
> TWO
Why in capitals?

a.ts:2 (before your change)
Why in capitals?`,
    );
  });
});
