export const SIDES = ['new', 'old'] as const;
export type Side = (typeof SIDES)[number];

/** A comment on a line of an agent's work, in a draft until the review is sent. */
export interface ReviewComment {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  /** `old`: a line as it was before the agent's work. */
  readonly side: Side;
  /** The line that was seen; empty when it was not known. */
  readonly snippet: string;
  readonly text: string;
  readonly by: string;
  readonly created_at: string;
}

/** The text of a line that a patch shows; undefined for one that it does not show. */
export function lineOfPatch(patch: string, side: Side, line: number): string | undefined {
  let [old, now] = [0, 0];
  for (const text of patch.split('\n')) {
    const [, oldStart, newStart] = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(text) ?? [];
    if (oldStart !== undefined && newStart !== undefined) {
      [old, now] = [Number(oldStart), Number(newStart)];
      continue;
    }
    if (old === 0 && now === 0) continue;
    const mark = text[0];
    if (mark !== ' ' && mark !== '+' && mark !== '-') continue;
    const isHere = side === 'new' ? mark !== '-' && now === line : mark !== '+' && old === line;
    if (isHere) return text.slice(1);
    if (mark !== '-') now++;
    if (mark !== '+') old++;
  }
  return undefined;
}

/** True for a comment on a line that is not what it was. */
export function isStale({ snippet, side, line }: ReviewComment, patch: string | undefined): boolean {
  const now = patch === undefined ? undefined : lineOfPatch(patch, side, line);
  return snippet !== '' && now !== snippet;
}

/** The comments as one task for the agent. */
export function reviewTask(comments: readonly ReviewComment[], message: string | undefined): string {
  const parts = comments.map(({ path, line, side, snippet, text }) => {
    const place = `${path}:${line}${side === 'old' ? ' (before your change)' : ''}`;
    return [place, ...(snippet === '' ? [] : [`> ${snippet}`]), text].join('\n');
  });
  const opening = message === undefined ? [] : [message];
  return ['Review of your work. Please address each comment.', ...opening, ...parts].join('\n\n');
}
