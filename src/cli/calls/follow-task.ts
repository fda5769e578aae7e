import { FleetError } from '../../domain/values/errors.ts';
import type { HistoryRow } from '../../domain/task.ts';
import type { Cli } from '../output/cli.ts';
import { TASK_FAILED_EXIT } from '../output/exit.ts';
import { printable, printableLine } from '../output/printable.ts';
import type { Session } from './run-operation.ts';

const PAGE_SIZE = 100;
/** A deleted agent makes no event of its own that a wait for it would end on. */
const LOOK_EVERY_S = 15;

/** Waits until a task has ended, with progress on stderr. */
export async function followTask(
  cli: Cli,
  session: Session,
  { agent, task }: { readonly agent: string; readonly task: string },
): Promise<HistoryRow> {
  const signal = cli.untilStopped();
  const progress = progressLines(cli);
  let { cursor } = await session.call('wait_for_agents', wait(agent, 0, undefined), { signal });
  for (;;) {
    const row = await findRow(session, agent, task);
    // A task that has not ended has a result only when its agent cannot go on with it.
    if (row.finished_at !== null || row.result !== null) return row;
    ({ cursor } = await session.call('wait_for_agents', wait(agent, LOOK_EVERY_S, cursor), {
      signal,
      progress,
    }));
  }
}

/** Progress on stderr; what was just said is not said again. */
function progressLines(cli: Cli): (message: string) => void {
  let last = '';
  return (message) => {
    if (message !== last) cli.err.line(printableLine(message));
    last = message;
  };
}

/** Prints how the task ended and its result; anything but complete is a failure of the command. */
export function printTaskEnd(cli: Cli, task: HistoryRow, answer: object | undefined): void {
  if (task.state !== 'complete') cli.exitCode = TASK_FAILED_EXIT;
  if (answer !== undefined) cli.out.json(answer);
  else {
    cli.out.line(`Task ${task.id}: ${task.state}`);
    if (task.result !== null) cli.out.line(printable(task.result));
  }
}

/** The task that an agent was created with. */
export async function firstTaskOf(session: Session, agent: string): Promise<string> {
  const look = (page: number) =>
    session.call('show_agent_task_history', { agent_name: agent, page, page_size: PAGE_SIZE });
  const newest = await look(1);
  const oldest = newest.total_pages > 1 ? await look(newest.total_pages) : newest;
  const row = oldest.tasks.at(-1);
  if (row === undefined) throw new FleetError('NOT_FOUND', `The agent "${agent}" has no task to wait for.`);
  return row.id;
}

async function findRow(session: Session, agent: string, task: string): Promise<HistoryRow> {
  for (let page = 1; ; page++) {
    const answer = await session.call('show_agent_task_history', {
      agent_name: agent,
      page,
      page_size: PAGE_SIZE,
    });
    const row = answer.tasks.find(({ id }) => id === task);
    if (row !== undefined) return row;
    if (!answer.has_next_page)
      throw new FleetError('NOT_FOUND', `The agent "${agent}" has no task "${task}".`);
  }
}

function wait(agent: string, timeout: number, cursor: string | undefined) {
  return { agent_names: agent, until: 'any_change', timeout_seconds: timeout, cursor };
}
