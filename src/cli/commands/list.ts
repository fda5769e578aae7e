import type { Command } from 'commander';
import { FleetError } from '../../domain/values/errors.ts';
import type { Answer } from '../../operations/table.ts';
import type { Cli } from '../output/cli.ts';
import { examples, jsonOption, wholeNumber } from '../calls/command.ts';
import { listTable } from '../output/list-table.ts';
import { openSession, type Session } from '../calls/run-operation.ts';

interface ListOptions {
  readonly attention?: boolean;
  readonly status?: string;
  readonly project?: string;
  readonly pr?: string;
  readonly page?: number;
  readonly pageSize?: number;
  readonly watch?: boolean;
  readonly names?: boolean;
  readonly json?: boolean;
}

/** On a screen, ages go on while nothing else changes. */
const REDRAW_MS = 5_000;

export function listCommand(command: Command, cli: Cli): void {
  command
    .description('List the agents of the fleet. Those that need a person come first, with the reason.')
    .option('--attention', 'only agents that need a person')
    .option('--status <status>', 'only agents with this status')
    .option('--project <project>', 'only agents of this project')
    .option('--pr <number or status>', 'only agents whose pull request has this number or status')
    .option('--page <n>', 'one page of the list', wholeNumber('--page'))
    .option('--page-size <n>', 'agents per page, 1 to 100', wholeNumber('--page-size'))
    .option('--watch', 'print the list again when it changes, until Ctrl-C')
    .option('--names', 'print names only');
  examples(jsonOption(command), [
    ['fleet list', 'all agents'],
    ['fleet list --attention', 'the agents that need you'],
    ['fleet list --status busy --project Setup', 'the busy agents of one project'],
    ['fleet list --watch', 'a live view'],
    ['fleet list --json', 'JSON for a program'],
  ]);
  command.action(async (options: ListOptions) => {
    await using session = await openSession(cli);
    if (options.watch === true) await watch(cli, session, options);
    else show(cli, await list(session, options), options);
  });
}

export function listInput(options: ListOptions) {
  return {
    status_filter: options.status,
    project_filter: options.project,
    pull_request_filter: options.pr,
    page: options.page,
    page_size: options.pageSize,
  };
}

async function list(session: Session, options: ListOptions): Promise<Answer<'list_agents'>> {
  if (options.attention !== true) return session.call('list_agents', listInput(options));
  if ((options.page ?? options.pageSize) !== undefined)
    throw new FleetError(
      'INVALID_INPUT',
      '--attention lists all agents that need a person: leave out --page.',
      {
        field: 'page',
      },
    );
  const answer = await session.call('list_agents', listInput(options));
  const agents = answer.agents.filter(({ needs_attention }) => needs_attention);
  return { ...answer, agents, total_count: agents.length };
}

function show(cli: Cli, answer: Answer<'list_agents'>, options: ListOptions): void {
  if (options.json === true) return cli.out.json(answer);
  if (options.names === true) {
    for (const agent of answer.agents) cli.out.line(agent.name);
    return;
  }
  for (const { backend, message } of answer.unavailable ?? []) cli.err.line(`fleet: ${backend}: ${message}`);
  if (answer.agents.length > 0) cli.out.write(listTable(answer.agents, Date.now(), cli.out));
  if (answer.agents.length < answer.total_count)
    cli.err.line(`${answer.agents.length} of ${answer.total_count} agents.`);
  else if (answer.total_count === 0) cli.err.line(emptyHint(options));
}

function emptyHint({ attention, status, project, pr }: ListOptions): string {
  if ((status ?? project ?? pr) !== undefined) return 'No agents match.';
  return attention === true
    ? 'No agent needs attention.'
    : 'No agents yet. Create one: fleet create PROJECT TASK';
}

async function watch(cli: Cli, session: Session, options: ListOptions): Promise<void> {
  const signal = cli.untilStopped();
  const onScreen = cli.out.isTerminal && options.json !== true;
  let shown: string | undefined;
  while (!signal.aborted) {
    // The cursor is read before the list: a change between the two is shown twice, never missed.
    const cursor = session.fleet.events?.latest();
    const answer = await list(session, options);
    const seen = JSON.stringify(answer);
    if (onScreen) cli.out.write('\u001b[2J\u001b[H');
    else if (shown !== undefined && seen !== shown && options.json !== true) cli.out.line();
    if (onScreen || seen !== shown) show(cli, answer, options);
    shown = seen;
    if (session.fleet.events?.latest() === cursor) await session.fleet.events?.changed(REDRAW_MS, signal);
  }
}
