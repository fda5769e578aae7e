import type { HistoryRow } from '../task.ts';

export interface PullRequestText {
  readonly title: string;
  readonly body: string;
}

const LONGEST_TITLE = 72;
const MOST_EARLIER = 10;
const MOST_TEXT = 20_000;

/** Title and text of a pull request, from the results of an agent's tasks, newest first. The subject of its newest commit is
 *  the title when no task has a result. */
export function pullRequestText(
  rows: readonly Pick<HistoryRow, 'kind' | 'state' | 'result'>[],
  subject: string,
): PullRequestText {
  const [newest, ...earlier] = rows
    .filter(({ kind, state }) => kind === 'task' && state === 'complete')
    .map(({ result }) => result?.trim() ?? '')
    .filter((result) => result !== '');
  if (newest === undefined) return { title: titleOf(subject), body: '' };
  const before = earlier.slice(0, MOST_EARLIER).map((result) => `- ${firstLine(result)}`);
  const body = [newest, ...(before.length === 0 ? [] : [`Earlier tasks:\n\n${before.join('\n')}`])].join(
    '\n\n',
  );
  return {
    title: titleOf(firstLine(newest) || subject),
    body: withoutCommands(body.length > MOST_TEXT ? `${body.slice(0, MOST_TEXT - 1)}…` : body),
  };
}

/** The first line that says something, without the marks of Markdown. */
function firstLine(text: string): string {
  for (const line of text.split('\n')) {
    const plain = line
      .replace(/^\s*(?:#{1,6}|[-*+>]|\d+\.)\s+/, '')
      .replaceAll(/\*\*|__|`/g, '')
      .trim();
    if (/[\p{L}\p{N}]/u.test(plain)) return plain;
  }
  return '';
}

function titleOf(line: string): string {
  const text = line.replaceAll(/[\p{Cc}\p{Cf}]+/gu, ' ').trim();
  if (text.length <= LONGEST_TITLE) return text;
  const words = text.slice(0, LONGEST_TITLE - 1);
  const end = words.lastIndexOf(' ');
  return `${(end > LONGEST_TITLE / 2 ? words.slice(0, end) : words).trimEnd()}…`;
}

/** Forges and their bots obey a line that begins with a slash as a command of the user who posts it. */
function withoutCommands(text: string): string {
  return text.replaceAll(/^(\s*(?:[-*+>]\s+)*)\//gm, '$1\\/');
}
