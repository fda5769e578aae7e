import type { Command } from 'commander';
import type { AgentListView } from '../../domain/agent.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption } from '../calls/command.ts';
import { TIMED_OUT_EXIT } from '../output/exit.ts';
import { listTable } from '../output/list-table.ts';
import { printableLine } from '../output/printable.ts';
import { openSession } from '../calls/run-operation.ts';
import { parseTimeout } from '../output/times.ts';

interface WaitOptions {
  readonly until?: string;
  readonly timeout?: number;
  readonly cursor?: string;
  readonly json?: boolean;
}

export function waitCommand(command: Command, cli: Cli): void {
  command
    .description(
      `Wait until agents are idle, need attention or change. Exits ${TIMED_OUT_EXIT} on a timeout.`,
    )
    .argument('[names...]', 'names of agents (default: all)')
    .option('--until <what>', 'idle (default), attention or any_change')
    .option('--timeout <time>', 'seconds, or 10m, 1h (default: 60; at most 1h)', timeout)
    .option('--cursor <cursor>', 'for any_change: changes after the cursor of an earlier answer');
  examples(jsonOption(command), [
    ['fleet wait sony && fleet log sony', 'when sony is idle'],
    ['fleet wait --until attention --timeout 1h', 'until an agent needs you'],
    ['fleet wait --until any_change --cursor 42 --json', 'JSON for a program'],
  ]);
  command.action(async (names: readonly string[], options: WaitOptions) => {
    await using session = await openSession(cli);
    const answer = await session.call('wait_for_agents', waitInput(names, options), {
      signal: cli.untilStopped(),
      progress: (message) => cli.err.line(printableLine(message)),
    });
    if (answer.timed_out) cli.exitCode = TIMED_OUT_EXIT;
    if (options.json === true) return cli.out.json(answer);
    const { columns, paint } = cli.out;
    if (answer.agents.length > 0)
      cli.out.write(listTable(answer.agents, Date.now(), { columns, paint, below: resultOf }));
    if (answer.timed_out) cli.err.line('fleet: timed out.');
  });
}

function resultOf({ current_task, last_result }: AgentListView): string {
  return current_task === null ? (last_result ?? '') : '';
}

export function waitInput(names: readonly string[], { until, timeout, cursor }: WaitOptions) {
  return {
    agent_names: names.length === 0 ? undefined : names.join(','),
    until,
    timeout_seconds: timeout,
    cursor,
  };
}

function timeout(text: string): number {
  const ms = parseTimeout(text);
  if (ms !== undefined) return ms / 1000;
  throw new FleetError(
    'INVALID_INPUT',
    `--timeout takes seconds, or a time such as 90s or 10m; got ${quote(text)}.`,
    {
      field: 'timeout_seconds',
    },
  );
}
