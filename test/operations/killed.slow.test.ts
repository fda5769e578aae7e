import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect } from 'vitest';
import { JournalReader } from '../../src/runner/journal/journal-reader.ts';
import { FLEET, serveFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { heldTask, queueTask } from './held-task.ts';
import { processesOf, runnerOf } from './processes-of.ts';

const LINUX = process.platform === 'linux';
let workspace_id: string;

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  ({ workspace_id } = await idleAgent(ask, 'sony'));
});

describe.skipIf(!LINUX)('when something is killed', () => {
  it('the task of a runner that died is interrupted, and nothing of it is left [OP-interrupted-crash]', async ({
    fleet,
    ask,
  }) => {
    const task = await heldTask(ask, {
      directory: fleet.directory,
      agent_name: 'sony',
      before: [{ append: ran(fleet, 'crash') }, { orphan: 1000 }],
    });
    killRunner(fleet);
    const agent = await until(
      () => agentOf(ask, 'sony'),
      ({ status }) => status !== 'busy',
    );
    expect(agent).toMatchObject({ status: 'idle', needs_attention: true, current_task: null });
    expect(agent.status_reason).toContain('the runner died');
    expect(await rowOf(ask, task.id)).toMatchObject({ state: 'interrupted', needs_user_attention: true });
    expect(processesOf(fleet, workspace_id)).toEqual([]);
    task.release();
    await ask('start_agent_task', { agent_name: 'sony', task_description: 'the next one' });
    await waitIdle(ask, 'sony');
    expect(await rowOf(ask, task.id)).toMatchObject({ state: 'interrupted' });
    expect(times(fleet, 'crash')).toBe(1);
    expect(await ends(fleet, task.id)).toBe(1);
  });

  it('a queue that outlived its runner runs when somebody asks for something, each task once', async ({
    fleet,
    ask,
  }) => {
    const task = await heldTask(ask, { directory: fleet.directory, agent_name: 'sony' });
    const ids = [
      await queueTask(ask, 'sony', running(fleet, 'queue-1')),
      await queueTask(ask, 'sony', running(fleet, 'queue-2')),
    ];
    killRunner(fleet);
    await until(
      () => agentOf(ask, 'sony'),
      ({ status }) => status === 'pending',
    );
    expect((await agentOf(ask, 'sony')).queue_length).toBe(2);
    ids.push(await queueTask(ask, 'sony', running(fleet, 'queue-3')));
    await waitIdle(ask, 'sony');
    expect(await rowOf(ask, task.id)).toMatchObject({ state: 'interrupted' });
    for (const [index, id] of ids.entries()) {
      expect(await rowOf(ask, id)).toMatchObject({ state: 'complete' });
      expect([times(fleet, `queue-${index + 1}`), await ends(fleet, id)]).toEqual([1, 1]);
    }
  });

  it('no task runs twice or ends twice, whichever of server, command and runner it is [OP-at-most-once, OP-end-once]', async ({
    fleet,
    ask,
  }) => {
    await using server = await serveFleet(fleet.env);
    const keys = Array.from({ length: 6 }, (_, index) => `kill-${index}`);
    for (const [index, key] of keys.entries()) {
      const input = { task_description: running(fleet, key), when_busy: 'queue', idempotency_key: key };
      // A command that is killed some way into its work, or when its task has just been accepted.
      const moment = index % 2 === 0 ? isAccepted(fleet, input.task_description) : delay(index * 90);
      await command(fleet, { agent_name: 'sony', ...input }, moment);
      if (index % 3 === 2) killRunner(fleet);
    }
    const posted = { task_description: running(fleet, 'served'), idempotency_key: 'served' };
    const request = server
      .request('POST', '/api/v1/agents/sony/tasks', { ...posted, when_busy: 'queue' })
      .catch(() => 'cut off');
    await delay(30);
    await server.kill('SIGKILL');
    await request;
    for (const key of keys) {
      const input = { task_description: running(fleet, key), when_busy: 'queue', idempotency_key: key };
      await command(fleet, { agent_name: 'sony', ...input });
    }
    await waitIdle(ask, 'sony');
    const rows = await history(ask, 'sony');
    for (const key of keys) {
      const mine = rows.filter(({ message }) => String(message).includes(`${key}"`));
      expect([key, mine.length]).toEqual([key, 1]);
      const [row] = mine;
      expect(['complete', 'interrupted']).toContain(row?.['state']);
      expect([key, await ends(fleet, String(row?.['id']))]).toEqual([key, 1]);
      expect([key, times(fleet, key)]).toEqual([
        key,
        row?.['state'] === 'complete' ? 1 : expect.toBeOneOf([0, 1]),
      ]);
    }
    const served = rows.filter(({ message }) => String(message).includes('served"'));
    expect(served.length).toBeLessThanOrEqual(1);
    expect(times(fleet, 'served')).toBe(served.length);
    for (const row of served)
      expect([row['state'], await ends(fleet, String(row['id']))]).toEqual(['complete', 1]);
  });

  it('the program of a task is killed: the task fails, and its agent goes on', async ({ fleet, ask }) => {
    const task = await heldTask(ask, { directory: fleet.directory, agent_name: 'sony' });
    const runner = runnerOf(fleet, workspace_id);
    for (const pid of processesOf(fleet, workspace_id)) if (pid !== runner) kill(pid);
    await waitIdle(ask, 'sony');
    expect(await rowOf(ask, task.id)).toMatchObject({ state: 'failed', needs_user_attention: true });
    expect(await ends(fleet, task.id)).toBe(1);
    expect(runnerOf(fleet, workspace_id)).toBe(runner);
  });
});

function ran(fleet: LocalFleet, key: string): string {
  return join(fleet.directory, `ran-${key}`);
}

/** A task that leaves a mark each time it runs. */
function running(fleet: LocalFleet, key: string): string {
  return script({ append: ran(fleet, key) }, { say: key });
}

function times(fleet: LocalFleet, key: string): number {
  try {
    return readFileSync(ran(fleet, key), 'utf8').trim().split('\n').length;
  } catch {
    return 0;
  }
}

async function rowOf(ask: Ask, id: string): Promise<Answer | undefined> {
  return (await history(ask, 'sony')).find((row) => row['id'] === id);
}

async function ends(fleet: LocalFleet, id: string): Promise<number> {
  const { facts } = await fleet.fleet.facts('sony');
  return facts.filter(({ body }) => body.kind === 'task.ended' && body.task_id === id).length;
}

/** Starts a task by a command, which is killed at a moment when one is given. */
async function command(fleet: LocalFleet, input: Answer, moment?: Promise<unknown>): Promise<void> {
  const child = spawn(process.execPath, [FLEET, 'call', 'start_agent_task', JSON.stringify(input)], {
    env: fleet.env,
    stdio: 'ignore',
  });
  const exited = once(child, 'exit');
  void moment?.then(() => child.kill('SIGKILL'));
  await exited;
}

async function isAccepted(fleet: LocalFleet, message: string): Promise<void> {
  using journal = JournalReader.open(join(fleet.home, 'agents', workspace_id, 'journal.db'));
  while (journal?.state().last_task !== message) await delay(1);
}

function killRunner(fleet: LocalFleet): void {
  const pid = runnerOf(fleet, workspace_id);
  if (pid !== undefined) kill(pid);
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
