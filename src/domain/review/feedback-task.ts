import type { FeedbackStep } from './ci-feedback.ts';

/** Characters of one log, of one comment, and of the task. */
const MOST_OUTPUT = 8_000;
const MOST_REMARK = 4_000;
const MOST_TEXT = 60_000;

/** What a pull request got, as a task of the agent whose work it is. */
export function feedbackTask(
  url: string,
  { failed, remarks }: Pick<FeedbackStep, 'failed' | 'remarks'>,
): string {
  const room = Math.min(MOST_OUTPUT, Math.floor(MOST_TEXT / 2 / Math.max(1, failed.length)));
  const checks = failed.map(({ name, url: page, output }) =>
    [`${name}${page === null ? '' : ` (${page})`}`, end(output, room)]
      .filter((part) => part !== '')
      .join('\n'),
  );
  const comments = remarks.map(({ author, path, line, text }) => {
    const place = path === null ? '' : ` on ${path}${line === null ? '' : `:${line}`}`;
    return `${author}${place}:\n${cutAt(text, MOST_REMARK)}`;
  });
  const parts = [
    `Your pull request ${url} needs work.`,
    ...(checks.length === 0
      ? []
      : [
          `Continuous integration fails: ${failed.map(({ name }) => name).join(', ')}. The end of what each printed:`,
          ...checks,
        ]),
    ...(comments.length === 0 ? [] : ['Reviewers wrote:', ...comments]),
    'Fix the causes and commit; push if you pushed this branch yourself. Do not weaken the checks. Say in your result what you did about each point.',
  ];
  return cutAt(parts.join('\n\n'), MOST_TEXT);
}

function end(output: string, room: number): string {
  const text = output.trimEnd();
  return text.length <= room ? text : `…${text.slice(-room)}`;
}

function cutAt(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`;
}
