import type { FileEdit } from './asked-for.ts';

type Line = readonly [mark: ' ' | '-' | '+', text: string];

const CONTEXT = 3;
/** Beyond this many pairs of lines, the changed part is shown as removed and added as a whole. */
const PAIRS_LIMIT = 1_000_000;

/** An edit as `diff -u` prints it. Line numbers count from the start of the text that was sent. */
export function unifiedDiff({ path, before, after }: FileEdit): string {
  const lines = changes(linesOf(before ?? '', after), linesOf(after, before ?? ''));
  const head = [`--- ${before === null ? '/dev/null' : path}`, `+++ ${path}`];
  return [...head, ...hunks(lines)].join('\n');
}

/** A missing newline at the end is shown only where the other text has one: parts of a file usually have none. */
function linesOf(text: string, other: string): readonly string[] {
  if (text === '') return [];
  if (text.endsWith('\n')) return text.slice(0, -1).split('\n');
  return (other.endsWith('\n') ? `${text}\n\\ No newline at end of file` : text).split(/\n(?!\\ No newline)/);
}

function changes(before: readonly string[], after: readonly string[]): readonly Line[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end++;
  return [
    ...before.slice(0, start).map((line): Line => [' ', line]),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...before.slice(before.length - end).map((line): Line => [' ', line]),
  ];
}

/** By the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): readonly Line[] {
  if (before.length * after.length > PAIRS_LIMIT) return [...marked('-', before), ...marked('+', after)];
  const common = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1));
  const at = (i: number, j: number): number => common[i]?.[j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i]![j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push([' ', before[i++] ?? '']);
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(['-', before[i++] ?? '']);
    else lines.push(['+', after[j++] ?? '']);
  }
  return [...lines, ...marked('-', before.slice(i)), ...marked('+', after.slice(j))];
}

function marked(mark: Line[0], lines: readonly string[]): readonly Line[] {
  return lines.map((line) => [mark, line]);
}

/** Changed lines with their context; two changes whose contexts touch are one hunk. */
function hunks(lines: readonly Line[]): readonly string[] {
  const shown: string[] = [];
  let [oldLine, newLine] = [1, 1];
  for (let index = 0; index < lines.length;) {
    const first = lines.findIndex(([mark], at) => at >= index && mark !== ' ');
    if (first === -1) break;
    const start = Math.max(index, first - CONTEXT);
    oldLine += start - index;
    newLine += start - index;
    const hunk = lines.slice(start, endOf(lines, first));
    const [removed, added] = [count(hunk, '+'), count(hunk, '-')];
    shown.push(`@@ -${range(oldLine, removed)} +${range(newLine, added)} @@`);
    shown.push(...hunk.map(([mark, line]) => `${mark}${line}`));
    oldLine += removed;
    newLine += added;
    index = start + hunk.length;
  }
  return shown;
}

function endOf(lines: readonly Line[], first: number): number {
  let last = first;
  for (let at = first; at < lines.length && at <= last + 2 * CONTEXT; at++)
    if (lines[at]?.[0] !== ' ') last = at;
  return Math.min(lines.length, last + 1 + CONTEXT);
}

/** How many lines of a hunk are on the side that a mark is not on. */
function count(hunk: readonly Line[], other: '-' | '+'): number {
  return hunk.filter(([mark]) => mark !== other).length;
}

function range(start: number, length: number): string {
  if (length === 1) return String(start);
  return `${length === 0 ? start - 1 : start},${length}`;
}
