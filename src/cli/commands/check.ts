import type { Command } from 'commander';
import type { Answer } from '../../operations/table.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { openSession } from '../calls/run-operation.ts';
import type { Cli } from '../output/cli.ts';
import { TASK_FAILED_EXIT, TIMED_OUT_EXIT } from '../output/exit.ts';
import type { Paint } from '../output/output.ts';
import { printable, printableLine } from '../output/printable.ts';

interface CheckOptions {
  readonly again?: boolean;
  readonly json?: boolean;
}

type Checks = Answer<'check_agent'>;

export function checkCommand(command: Command, cli: Cli): void {
  command
    .description(
      `Run the checks of an agent's project and spec on a clean checkout of its committed work. Exits ${TASK_FAILED_EXIT} when one fails.`,
    )
    .argument('<name>', 'name of the agent')
    .argument('[checks...]', 'names of checks (default: all)')
    .option('--again', 'also run checks whose result for this commit is known');
  examples(jsonOption(command), [
    ['fleet check sony', 'all checks; known results are shown at once'],
    ['fleet check sony tests --again', 'run one check again'],
    ['fleet check sony --json', 'JSON for a program'],
  ]);
  command.action(async (name: string, checks: readonly string[], options: CheckOptions) => {
    await using session = await openSession(cli);
    const signal = cli.untilStopped();
    const progress = (message: string): void => cli.err.line(printableLine(message));
    const ask = (again: boolean): Promise<Checks> =>
      session.call(
        'check_agent',
        { agent_name: name, names: checks.length === 0 ? undefined : [...checks], again },
        { signal, progress },
      );
    let answer = await ask(options.again === true);
    // The run goes on beside: asking again finds it, or what it found.
    while (answer.state === 'running' && !signal.aborted) answer = await ask(false);
    cli.exitCode = exitOf(answer.state);
    if (options.json === true) return cli.out.json(answer);
    cli.out.write(checksText(answer, cli.out.paint));
    if (answer.state === 'running')
      cli.err.line(`The checks go on. See them with: fleet check ${answer.agent_name}`);
  });
}

function exitOf(state: Checks['state']): number {
  switch (state) {
    case 'passing':
    case 'not_run':
      return 0;
    case 'failing':
      return TASK_FAILED_EXIT;
    case 'running':
      return TIMED_OUT_EXIT;
  }
}

/** Each check on a line; of those that fail, what they printed. */
export function checksText({ commit, checks }: Checks, paint: Paint): string {
  const width = Math.max(...checks.map(({ name }) => printableLine(name).length));
  const lines = checks.map(({ name, state, exit_code, took_ms }) => {
    const code = state === 'failing' && exit_code !== null ? `, exit code ${exit_code}` : '';
    const time = took_ms === null ? '' : ` (${(took_ms / 1000).toFixed(1)} s${code})`;
    return `${printableLine(name).padEnd(width)}  ${painted(state, paint)}${time}\n`;
  });
  const failed = checks.filter(({ state, output }) => state === 'failing' && output !== null);
  const outputs = failed.map(
    ({ name, output }) =>
      `\n${paint('bold', printableLine(name))}\n${printable(output ?? '').trimEnd() || '(it printed nothing)'}\n`,
  );
  const of = commit === null ? '' : `commit ${commit.slice(0, 12)}\n`;
  return [of, ...lines, ...outputs].join('');
}

function painted(state: Checks['state'], paint: Paint): string {
  if (state === 'passing') return paint('green', 'passing');
  return state === 'failing' ? paint('red', 'failing') : state.replace('_', ' ');
}
