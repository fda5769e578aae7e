import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { packageVersion } from '../../src/platform/package.ts';
import { STORE_SCHEMA } from '../../src/store/store-schema.ts';
import { heldTask, queueTask, type HeldTask } from '../operations/held-task.ts';
import { FLEET, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import {
  agentOf,
  agentsOf,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { sharedHome, type SharedHome } from './first-version.ts';

let shared: SharedHome;
let server: ServedFleet;
let held: HeldTask;
const NAMES = ['asleep', 'busy', 'doomed', 'idle', 'stopped'];

beforeAll(async () => {
  shared = sharedHome();
  const { older, directory } = shared;
  for (const name of NAMES)
    await idleAgent(older, name, name === 'asleep' ? { project: 'Sleepy' } : { role: 'scripted' });
  held = await heldTask(older, { directory, agent_name: 'busy' });
  await queueTask(older, 'busy', 'the next one');
  await older('stop_agent', { agent_name: 'stopped' });
  await untilAsleep(older);
}, 120_000);
afterAll(async () => {
  await server[Symbol.asyncDispose]();
  await shared[Symbol.asyncDispose]();
});

describe('a runner of the version before', () => {
  it('lives on when a new server brings the store forward, which keeps a copy', async () => {
    const before = await agentsOf(shared.older);
    const runner = shared.runnerOf('busy');
    expect(runner.program).toContain(join('first', 'dist', 'runner-main.js'));
    server = await serveFleet(shared.env);
    const { body } = await server.request('GET', '/api/v1/agents');
    expect(body['agents']).toMatchObject(before);
    expect(await agentsOf(shared.by(FLEET))).toMatchObject(before);
    expect(shared.runnerOf('busy')).toEqual(runner);
    expect(stepOf(join(shared.home, 'store.db'))).toEqual({
      step: STORE_SCHEMA.steps.length,
      fleet: packageVersion(),
    });
    expect(stepOf(join(shared.home, 'store.db.v1.0'))).toBeUndefined();
  });

  it('goes on with its task and its queue, and its facts reach the new version', async () => {
    expect(await agentOf(shared.newer, 'busy')).toMatchObject({ status: 'busy', queue_length: 1 });
    held.release();
    const waited = await server.request('GET', '/api/v1/wait?agent_names=busy&timeout_seconds=50');
    expect(waited.body).toMatchObject({ timed_out: false, agents: [{ name: 'busy', status: 'idle' }] });
    expect((await history(shared.newer, 'busy')).map(({ message, state }) => [message, state])).toEqual([
      ['the next one', 'complete'],
      [held.message, 'complete'],
      ['get ready', 'complete'],
    ]);
    expect((await logOf(shared.newer, 'busy'))[0]).toMatchObject({ message: 'did: the next one' });
    expect(shared.runnerOf('busy').program).toContain('first');
  });

  it('takes tasks, a cancel, metadata and an acknowledgement from it', async () => {
    const { newer, directory } = shared;
    const task = await heldTask(newer, { directory, agent_name: 'idle' });
    const queued = await queueTask(newer, 'idle', 'never');
    await expect(newer('start_agent_task', { agent_name: 'idle', task_description: 'x' })).rejects.toThrow(
      expect.objectContaining({ code: 'CONFLICT' }),
    );
    await newer('cancel_agent_task', { agent_name: 'idle', task_id: queued });
    await newer('cancel_agent_task', { agent_name: 'idle' });
    await waitIdle(newer, 'idle');
    const states = (await history(newer, 'idle')).slice(0, 2).map(({ id, state }) => [id, state]);
    expect(states).toEqual([
      [queued, 'canceled'],
      [task.id, 'canceled'],
    ]);
    await newer('set_agent_metadata', { agent_name: 'idle', key: 'fleet_mcp_colour', value: 'blue' });
    expect((await agentOf(newer, 'idle')).fleet_metadata).toMatchObject({ fleet_mcp_colour: 'blue' });
    await newer('start_agent_task', { agent_name: 'idle', task_description: '[{"exit": 1}]' });
    await waitIdle(newer, 'idle');
    expect((await agentOf(newer, 'idle')).needs_attention).toBe(true);
    await newer('acknowledge_agent', { agent_name: 'idle' });
    expect((await agentOf(newer, 'idle')).needs_attention).toBe(false);
    expect(shared.runnerOf('idle').program).toContain('first');
  });

  it('answers the agent inside it when that uses the new command', async () => {
    const { older, newer } = shared;
    await idleAgent(older, 'inside', { role: 'shell', task: 'true' });
    const command = `'${process.execPath}' '${FLEET}'`;
    const task_description = `${command} report 'from inside' && ${command} task --self 'echo once more'`;
    await newer('start_agent_task', { agent_name: 'inside', task_description });
    await waitIdle(newer, 'inside');
    expect((await history(newer, 'inside')).map(({ message, state }) => [message, state])).toEqual([
      ['echo once more', 'complete'],
      ['from inside', 'complete'],
      [task_description, 'complete'],
      ['true', 'complete'],
    ]);
    expect(shared.runnerOf('inside').program).toContain('first');
  });

  it('finds the store again after the new version had to rebuild it', async () => {
    const runner = shared.runnerOf('busy');
    await server.kill('SIGKILL');
    for (const end of ['', '-wal', '-shm']) rmSync(join(shared.home, `store.db${end}`), { force: true });
    expect((await agentsOf(shared.newer)).map(({ name }) => name)).toEqual([...NAMES, 'inside'].toSorted());
    server = await serveFleet(shared.env);
    await shared.newer('start_agent_task', { agent_name: 'busy', task_description: 'still there?' });
    // A runner of that version tells the new store within half a second.
    await until(
      async () => (await history(shared.newer, 'busy'))[0],
      (row) => row?.['message'] === 'still there?' && row['state'] === 'complete',
    );
    expect(shared.runnerOf('busy')).toEqual(runner);
  });

  it('stops when it is asked to', async () => {
    await shared.newer('stop_agent', { agent_name: 'idle' });
    expect(await agentOf(shared.newer, 'idle')).toMatchObject({ status: 'stopped' });
  });

  it('gives way to one of this version at a restart, which brings the journal forward and keeps a copy', async () => {
    const past = await history(shared.newer, 'busy');
    const journal = shared.journalOf('busy');
    expect(stepOf(journal)).toBeUndefined();
    await shared.newer('restart_agent', { agent_name: 'busy' });
    await waitIdle(shared.newer, 'busy');
    // Started by this process, or by the server if it saw the restart first.
    expect(shared.runnerOf('busy').program).not.toContain(join('first', 'dist'));
    expect(stepOf(journal)).toMatchObject({ fleet: packageVersion() });
    expect(stepOf(`${journal}.v1.0`)).toBeUndefined();
    expect(factsOf(journal).slice(0, factsOf(`${journal}.v1.0`).length)).toEqual(factsOf(`${journal}.v1.0`));
    await shared.newer('start_agent_task', { agent_name: 'busy', task_description: 'anew' });
    await waitIdle(shared.newer, 'busy');
    expect(await history(shared.newer, 'busy')).toMatchObject([
      { message: 'anew', state: 'complete' },
      ...past,
    ]);
  });

  it('is not what wakes an agent that slept through the upgrade', async () => {
    await shared.newer('start_agent_task', { agent_name: 'asleep', task_description: 'wake up' });
    await waitIdle(shared.newer, 'asleep');
    expect((await history(shared.newer, 'asleep'))[0]).toMatchObject({
      message: 'wake up',
      state: 'complete',
    });
    expect(stepOf(shared.journalOf('asleep'))).toMatchObject({ fleet: packageVersion() });
    expect(existsSync(`${shared.journalOf('asleep')}.v1.0`)).toBe(true);
  });

  it('is ended by a delete, and the work is kept', async () => {
    expect(shared.runnerOf('doomed').program).toContain('first');
    const { workspace_id } = await agentOf(shared.newer, 'doomed');
    writeFileSync(join(shared.home, 'worktrees', workspace_id, 'work.txt'), 'mine\n');
    const { kept } = await shared.newer('delete_agent', { agent_name: 'doomed' });
    expect(kept).toBe(`fleet-kept/doomed/${workspace_id}`);
    expect((await agentsOf(shared.newer)).map(({ name }) => name)).not.toContain('doomed');
  });

  it('can be gone back to: its command works on the home, and with runners of this version', async () => {
    const { older, newer } = shared;
    await untilAsleep(newer);
    expect(await agentsOf(newer)).toMatchObject(await agentsOf(older));
    await older('start_agent_task', { agent_name: 'busy', task_description: 'by the older command' });
    await waitIdle(older, 'busy');
    expect((await history(older, 'busy'))[0]).toMatchObject({
      message: 'by the older command',
      state: 'complete',
    });
    expect(shared.runnerOf('busy').program).not.toContain(join('first', 'dist'));
    await older('restart_agent', { agent_name: 'stopped' });
    await waitIdle(newer, 'stopped');
    expect(shared.runnerOf('stopped').program).toContain('first');
  });
});

async function untilAsleep(ask: Ask): Promise<void> {
  await until(
    () => agentOf(ask, 'asleep'),
    ({ status_reason }) => status_reason.startsWith('asleep'),
  );
}

function stepOf(file: string): unknown {
  return look(file, (database) =>
    database.prepare(`SELECT 1 FROM sqlite_schema WHERE name = 'schema'`).get() === undefined
      ? undefined
      : database.prepare('SELECT step, fleet FROM schema').get(),
  );
}

function factsOf(file: string): unknown[] {
  return look(file, (database) => database.prepare('SELECT * FROM facts ORDER BY seq').all());
}

function look<Result>(file: string, work: (database: DatabaseSync) => Result): Result {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
}
