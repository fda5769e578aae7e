import type { Command } from 'commander';
import type { AgentListView } from '../../domain/agent.ts';
import { cut } from '../../domain/text.ts';
import type { Answers } from '../answers.ts';
import type { Cli } from '../cli.ts';
import { examples, jsonOption, wholeNumber } from '../command.ts';
import type { Output } from '../output.ts';
import { openSession, type Session } from '../run-operation.ts';
import { paintStatus } from '../status-style.ts';
import { table, type Column } from '../table.ts';
import { ago } from '../times.ts';

interface ListOptions {
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
    .description('List the agents of the fleet. "!" marks those that need a human.')
    .option('--status <status>', 'only agents with this status')
    .option('--project <project>', 'only agents of this project')
    .option('--pr <number or status>', 'only agents whose pull request has this number or status')
    .option('--page <n>', 'one page of the list', wholeNumber('--page'))
    .option('--page-size <n>', 'agents a page, 1 to 100', wholeNumber('--page-size'))
    .option('--watch', 'show the list again whenever it changes, until Ctrl-C')
    .option('--names', 'print names only');
  examples(jsonOption(command), [
    ['fleet list', 'all agents'],
    ['fleet list --status busy --project Setup', 'those at work on one project'],
    ['fleet list --watch', 'a live view'],
    ['fleet list --json', 'for a program'],
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

export function listTable(
  agents: readonly AgentListView[],
  now: number,
  out: Pick<Output, 'columns' | 'paint'>,
): string {
  const columns: readonly Column<AgentListView>[] = [
    { header: 'NAME', value: (agent) => agent.name, painted: (text, _agent, paint) => paint('bold', text) },
    {
      header: ' ',
      value: (agent) => (agent.needs_attention ? '!' : ''),
      painted: (text, _agent, paint) => paint('red', text),
    },
    {
      header: 'STATUS',
      value: (agent) => (agent.stuck ? `${agent.status}, stuck` : agent.status),
      painted: (text, agent, paint) => paintStatus(agent.status, text, paint),
    },
    { header: 'PROJECT', value: (agent) => agent.project },
    { header: 'ROLE', value: (agent) => agent.role },
    { header: 'QUEUE', value: (agent) => (agent.queue_length === 0 ? '-' : String(agent.queue_length)) },
    { header: 'CHANGED', value: (agent) => ago(agent.updated_at, now) },
    ...(agents.some(({ metadata }) => Object.keys(metadata).length > 0) ? [METADATA] : []),
    { header: 'TASK', value: (agent) => agent.current_task ?? agent.last_task ?? '' },
  ];
  return table(agents, columns, out);
}

const METADATA_WIDTH = 60;

/** What the Taskfiles of the agents have for lists. */
const METADATA: Column<AgentListView> = {
  header: 'METADATA',
  value: ({ metadata }) =>
    cut(
      Object.entries(metadata)
        .map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`)
        .join(' '),
      METADATA_WIDTH,
    ),
};

function list(session: Session, options: ListOptions): Promise<Answers['list_agents']> {
  return session.call('list_agents', listInput(options));
}

function show(cli: Cli, answer: Answers['list_agents'], options: ListOptions): void {
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

function emptyHint({ status, project, pr }: ListOptions): string {
  return (status ?? project ?? pr) === undefined
    ? 'No agents yet. Create one: fleet create PROJECT TASK'
    : 'No agents match.';
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
