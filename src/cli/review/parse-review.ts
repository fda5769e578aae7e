import type { Side } from '../../domain/review/review-comment.ts';

/** A comment that was written under a line of a quoted diff. */
export interface WrittenComment {
  readonly path: string;
  readonly line: number;
  readonly side: Side;
  readonly snippet: string;
  readonly text: string;
}

export interface WrittenReview {
  readonly comments: readonly WrittenComment[];
  /** What was written above the first line of the diff. */
  readonly message: string | undefined;
}

interface Place {
  readonly path: string;
  readonly line: number;
  readonly side: Side;
  readonly snippet: string;
}

/** The diff as the editor shows it: each of its lines is quoted, and what is not quoted is a comment. */
export function quoteDiff(agentName: string, patch: string): string {
  const help = [
    `# Review of the work of ${agentName}. Write a comment under the line that it is about.`,
    '# Text above the diff is a message about all of it. Lines that begin with # are left out.',
    '',
    '',
  ];
  const lines = patch
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => `> ${line}`);
  return `${[...help, ...lines].join('\n')}\n`;
}

/** Reads back what was written between the quoted lines. */
export function parseReview(text: string): WrittenReview {
  const comments: WrittenComment[] = [];
  const message: string[] = [];
  let [path, old, now]: [string, number, number] = ['', 0, 0];
  let place: Place | undefined;
  let written: string[] = [];
  const close = (): void => {
    const said = written.join('\n').trim();
    written = [];
    if (said === '') return;
    if (place === undefined) message.push(said);
    else comments.push({ ...place, text: said });
  };
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    if (!line.startsWith('>')) {
      written.push(line);
      continue;
    }
    close();
    const quoted = line.slice(2);
    const hunk = /^@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@/.exec(quoted);
    if (quoted.startsWith('diff --git ')) [old, now] = [0, 0];
    if (hunk !== null) [old, now] = [Number(hunk[1]), Number(hunk[2])];
    else if (old === 0 && now === 0) {
      path = nameIn(quoted) ?? path;
    } else if (!quoted.startsWith('\\')) {
      const side: Side = quoted.startsWith('-') ? 'old' : 'new';
      place = { path, side, line: side === 'old' ? old : now, snippet: quoted.slice(1) };
      if (!quoted.startsWith('+')) old++;
      if (!quoted.startsWith('-')) now++;
    }
  }
  close();
  return { comments, message: message.length === 0 ? undefined : message.join('\n\n') };
}

/** The name in a line such as `+++ b/name`. Git ends one that has spaces with a tab, and quotes one that has odd characters. */
function nameIn(line: string): string | undefined {
  const [, plain, quoted] = /^(?:---|\+\+\+) (?:[ab]\/([^\t]*)\t?|"[ab]\/(.*)"\t?)$/.exec(line) ?? [];
  return quoted === undefined ? plain : unquoted(quoted);
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 };

/** As git quotes the bytes of a name. */
function unquoted(text: string): string {
  const bytes: number[] = [];
  for (const [part, octal, letter] of text.matchAll(/\\([0-7]{3})|\\(.)|[^\\]+/gs)) {
    if (octal !== undefined) bytes.push(Number.parseInt(octal, 8));
    else if (letter !== undefined) bytes.push(ESCAPES[letter] ?? letter.charCodeAt(0));
    else bytes.push(...Buffer.from(part));
  }
  return Buffer.from(bytes).toString();
}
