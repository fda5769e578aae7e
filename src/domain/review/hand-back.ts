import { shellWord } from '../values/text.ts';
import type { Check, CheckResult } from './checks.ts';

export interface Failure {
  readonly commit: string;
  readonly checks: readonly Check[];
  readonly results: readonly CheckResult[];
  /** True when the workspace has changes that are not committed. */
  readonly dirty: boolean;
}

/** Characters of one check's output, and of the task. */
const MOST_OUTPUT = 8_000;
const MOST_TEXT = 60_000;

/** Failing checks as a task of the agent whose work failed them. */
export function handBackMessage({ commit, checks, results, dirty }: Failure): string {
  const failed = results.filter(({ state }) => state === 'failing');
  const room = Math.min(MOST_OUTPUT, Math.floor(MOST_TEXT / 2 / Math.max(1, failed.length)));
  const parts = failed.map((result) => {
    const command = checks.find(({ name }) => name === result.name)?.command ?? [];
    const how = result.exit_code === null ? 'did not run to its end' : `exit code ${result.exit_code}`;
    return `${result.name} (${how}), run as: ${commandLine(command)}\n${end(result.output, room)}`;
  });
  return [
    `You reported this work as done, but its checks fail: ${failed.map(({ name }) => name).join(', ')}.`,
    `They ran on a clean checkout of commit ${commit.slice(0, 12)} of your branch. ${
      dirty
        ? 'Your workspace has changes that are not committed: they were not part of it.'
        : 'Changes that are not committed are not part of it.'
    }`,
    'Fix the cause and commit it. Do not weaken the checks. The end of what each printed:',
    ...parts,
  ]
    .join('\n\n')
    .slice(0, MOST_TEXT);
}

function end(output: string, room: number): string {
  const text = output.trimEnd();
  return text.length <= room ? text : `…${text.slice(-room)}`;
}

/** A line that was given for the shell, or the words of a program. */
function commandLine(command: readonly string[]): string {
  const [program, option, line] = command;
  if (program === 'sh' && option === '-c' && line !== undefined && command.length === 3) return line;
  return command.map((word) => (/^[\w./=:-]+$/.test(word) ? word : shellWord(word))).join(' ');
}
