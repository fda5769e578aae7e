import { AgentRows, type AgentRow } from '../../../src/backends/local/records/agent-rows.ts';
import { isAlive, signalProcess } from '../../../src/platform/processes/process-identity.ts';
import { openStore } from '../../../src/backends/local/records/open-store.ts';
import { waitIdle, until, type Answer } from '../../support/fleets/fleet-under-test.ts';
import { processesNaming } from '../../support/fleets/local-fleet.ts';
import { journalsOf } from '../journals.ts';
import type { Stage } from '../stage.ts';
import { taskText, type TaskTextOptions } from '../task-text.ts';

/** The agent of every scenario. */
export const NAME = 'ada';

/** An agent that has done its first task. */
export async function bringIdle(
  stage: Stage,
  options: TaskTextOptions & { key?: string } = {},
): Promise<void> {
  const task = taskText(stage.directory, options.key ?? 'first', options);
  await stage.ask('create_agent', { project: 'Setup', name: NAME, task });
  await waitIdle(stage.ask, NAME);
}

/** An agent that works on a task that holds, `held`, with another behind it, `queued`. */
export async function bringBusy(stage: Stage, queued = true): Promise<void> {
  await bringIdle(stage);
  await give(stage, 'held', { held: true });
  await until(
    async () => stage.marks('held').length,
    (marks) => marks > 0,
  );
  if (queued) await give(stage, 'queued');
}

export async function bringAsleep(stage: Stage): Promise<void> {
  await bringIdle(stage);
  await untilAlone(stage);
}

export async function bringStopped(stage: Stage): Promise<void> {
  await bringIdle(stage);
  await stage.ask('stop_agent', { agent_name: NAME });
  await untilAlone(stage);
}

/** Waits until no process of the fleet is there. */
export async function untilAlone({ directory }: Stage): Promise<void> {
  await until(
    async () => processesNaming(directory).length,
    (count) => count === 0,
  );
}

/** A runner that is gone in the middle of its task, and nobody has looked yet. */
export async function bringLost(stage: Stage): Promise<void> {
  await bringBusy(stage);
  const runner = rowOf(stage)?.runner ?? null;
  if (runner === null) throw new Error('it has no runner');
  signalProcess(runner, 'SIGKILL');
  await untilAlone(stage);
}

async function give(stage: Stage, key: string, options: TaskTextOptions = {}): Promise<Answer> {
  const task_description = taskText(stage.directory, key, options);
  return stage.ask('start_agent_task', { agent_name: NAME, task_description, when_busy: 'queue' });
}

/** The agent as the store has it. */
export function rowOf({ home }: Stage): AgentRow | undefined {
  using store = openStore(home);
  return new AgentRows(store).byName(NAME);
}

export function hasRunner(stage: Stage): boolean {
  const runner = rowOf(stage)?.runner ?? null;
  return runner !== null && isAlive(runner);
}

/** True when the journals have nothing left to do. */
export function atRest({ home }: Stage): boolean {
  const journals = journalsOf(home);
  return (
    journals.length > 0 &&
    journals.every(
      ({ state }) =>
        state.running === null &&
        !['pending', 'starting', 'stopping', 'canceling', 'deleting'].includes(state.phase) &&
        (state.queue.length === 0 || ['stopped', 'canceled', 'failed'].includes(state.phase)),
    )
  );
}
