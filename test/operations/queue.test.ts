import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script, type Step } from '../support/script.ts';
import { heldTask, queueTask, taskIdOf, type HeldTask } from './held-task.ts';

let fleet: LocalFleet;
let ask: Ask;
let mark: string;

beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  await idleAgent(ask, 'worker');
});
afterAll(() => fleet[Symbol.asyncDispose]());
beforeEach(({ task }) => {
  mark = `<${task.id}>`;
});

describe('a busy agent', () => {
  it('takes a task into its queue and runs it after the ones before it [OP-when_busy-queue, AGENT-queue-length]', async () => {
    const running = await hold();
    const answers: Answer[] = [];
    for (const text of ['second', 'third'])
      answers.push(
        await ask('start_agent_task', {
          agent_name: 'worker',
          task_description: noting(text),
          when_busy: 'queue',
        }),
      );
    expect(answers.map((answer) => answer['task'])).toEqual([
      expect.objectContaining({ state: 'queued', message: noting('second') }),
      expect.objectContaining({ state: 'queued', message: noting('third') }),
    ]);
    expect(await stateOf(running.id)).toBe('running');
    expect(await agentOf(ask, 'worker')).toMatchObject({ queue_length: 2, current_task: running.message });
    expect(await agentsOf(ask)).toEqual([expect.objectContaining({ name: 'worker', queue_length: 2 })]);
    running.release();
    await waitIdle(ask, 'worker');
    expect(await noted()).toEqual(['second', 'third']);
    expect(await Promise.all(answers.map((answer) => stateOf(taskIdOf(answer))))).toEqual([
      'complete',
      'complete',
    ]);
    expect(await agentOf(ask, 'worker')).toMatchObject({ queue_length: 0, current_task: null });
  });

  it('drops its task for one that interrupts, which runs before the queue [OP-when_busy-interrupt]', async () => {
    const running = await hold();
    await queueTask(ask, 'worker', noting('queued'));
    const answer = await ask('start_agent_task', {
      agent_name: 'worker',
      task_description: noting('urgent'),
      when_busy: 'interrupt',
    });
    await waitIdle(ask, 'worker');
    expect(await stateOf(running.id)).toBe('canceled');
    expect(await stateOf(taskIdOf(answer))).toBe('complete');
    expect(await noted()).toEqual(['urgent', 'queued']);
  });

  it('loses one queued task by its id and goes on with what it does [OP-cancel-queued]', async () => {
    const running = await hold();
    const [first, second] = [
      await queueTask(ask, 'worker', noting('first')),
      await queueTask(ask, 'worker', noting('second')),
    ];
    const answer = await ask('cancel_agent_task', { agent_name: 'worker', task_id: first });
    expect(answer).toMatchObject({
      interrupt_sent: false,
      task: { id: first, state: 'canceled' },
      agent_status: 'busy',
    });
    expect(await stateOf(running.id)).toBe('running');
    expect((await agentOf(ask, 'worker')).queue_length).toBe(1);
    running.release();
    await waitIdle(ask, 'worker');
    expect(await noted()).toEqual(['second']);
    expect([await stateOf(running.id), await stateOf(first), await stateOf(second)]).toEqual([
      'complete',
      'canceled',
      'complete',
    ]);
  });

  it('begins with the next queued task when the running one is canceled [OP-cancel-queue-goes-on]', async () => {
    const running = await hold();
    const next = await queueTask(ask, 'worker', noting('next'));
    expect(await ask('cancel_agent_task', { agent_name: 'worker' })).toMatchObject({
      interrupt_sent: true,
      task: { id: running.id },
    });
    await waitIdle(ask, 'worker');
    expect([await stateOf(running.id), await stateOf(next)]).toEqual(['canceled', 'complete']);
    expect(await noted()).toEqual(['next']);
  });

  it('has a time since when it is busy, and none while it is not [AGENT-busy-since]', async () => {
    expect((await agentOf(ask, 'worker')).busy_since).toBeNull();
    const before = new Date().toISOString();
    const running = await hold();
    const { busy_since } = await agentOf(ask, 'worker');
    expect(busy_since).not.toBeNull();
    expect(String(busy_since) >= before && String(busy_since) <= new Date().toISOString()).toBe(true);
    await ask('set_agent_metadata', { agent_name: 'worker', key: 'fleet_mcp_note', value: mark });
    expect((await agentOf(ask, 'worker')).busy_since).toBe(busy_since);
    expect((await agentsOf(ask))[0]?.busy_since).toBe(busy_since);
    running.release();
    await waitIdle(ask, 'worker');
    expect((await agentOf(ask, 'worker')).busy_since).toBeNull();
  });

  it('has the newest task or report as its last task [AGENT-last-task]', async () => {
    const running = await hold({ report: 'half of it is done' });
    expect((await agentOf(ask, 'worker')).last_task).toBe('half of it is done');
    await queueTask(ask, 'worker', 'the one after');
    expect((await agentOf(ask, 'worker')).last_task).toBe('the one after');
    expect((await agentsOf(ask))[0]?.last_task).toBe('the one after');
    running.release();
    await waitIdle(ask, 'worker');
    expect((await agentOf(ask, 'worker')).last_task).toBe('the one after');
  });
});

describe('the history of an agent', () => {
  it('knows the states queued, running, complete, failed, canceled and interrupted [OP-task-states, OP-delete-cancels-queue]', async () => {
    const agent = await idleAgent(ask, 'historian', { task: script({ exit: 3 }) });
    const cut = await hold({ say: 'x' }, 'historian');
    await ask('restart_agent', { agent_name: 'historian' });
    expect(await stateOf(cut.id, 'historian')).toBe('interrupted');
    await waitIdle(ask, 'historian');
    const canceled = await hold({ say: 'x' }, 'historian');
    await ask('cancel_agent_task', { agent_name: 'historian' });
    await waitIdle(ask, 'historian');
    await ask('start_agent_task', { agent_name: 'historian', task_description: 'well' });
    await waitIdle(ask, 'historian');
    const running = await hold({ say: 'x' }, 'historian');
    const queued = await queueTask(ask, 'historian', noting('never'));
    const rows = await history(ask, 'historian');
    expect(rows.map(({ state }) => state)).toEqual([
      'queued',
      'running',
      'complete',
      'canceled',
      'interrupted',
      'failed',
    ]);
    expect(rows.map(({ id }) => id)).toEqual(expect.arrayContaining([queued, running.id, canceled.id]));

    await ask('delete_agent', { agent_name: 'historian', discard_work: true });
    using archived = JournalReader.open(join(fleet.home, 'archive', agent.workspace_id, 'journal.db'));
    expect(archived?.historyRow(queued)).toMatchObject({ state: 'canceled' });
    expect(archived?.historyRow(queued)?.finished_at).not.toBeNull();
    expect(archived?.historyRow(running.id)).toMatchObject({ state: 'canceled' });
    expect(JSON.stringify(archived?.log({ page: 1, page_size: 100 }))).not.toContain(mark);
  });

  it('has what failed in the log as ERROR [OP-log-error-level]', async () => {
    await ask('start_agent_task', { agent_name: 'worker', task_description: script({ exit: 7 }) });
    await waitIdle(ask, 'worker');
    const errors = async (name: string): Promise<Answer[]> =>
      (await logOf(ask, name)).filter(({ level }) => level === 'ERROR');
    expect(await errors('worker')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('exit code 7') as string }),
    ]);
    fleet.configure((config) => {
      config.projects['BadSetup'] = {
        repository: fleet.repository,
        default_role: 'scripted',
        setup: 'echo no luck >&2; exit 5',
      };
    });
    await ask('create_agent', { project: 'BadSetup', task: 'hello', name: 'unlucky' });
    await until(
      () => agentOf(ask, 'unlucky'),
      ({ status }) => status === 'failed',
    );
    expect(await errors('unlucky')).toEqual([
      expect.objectContaining({ message: expect.stringContaining('exit code 5') as string }),
    ]);
  });
});

function hold(before: Step = { say: 'held' }, agent_name = 'worker'): Promise<HeldTask> {
  return heldTask(ask, { directory: fleet.directory, agent_name, before: [before] });
}

/** A task that says a word of this test. */
function noting(word: string): string {
  return script({ say: `${mark} ${word}` });
}

/** The words of this test in the order in which they were said. */
async function noted(): Promise<string[]> {
  const said = (await logOf(ask, 'worker'))
    .filter(({ type }) => type === 'output')
    .map(({ message }) => String(message));
  return said
    .filter((line) => line.startsWith(mark))
    .map((line) => line.slice(mark.length + 1))
    .toReversed();
}

async function stateOf(id: string, name = 'worker'): Promise<unknown> {
  return (await history(ask, name)).find((row) => row['id'] === id)?.['state'];
}
