import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  logOf,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { queueTask } from './held-task.ts';

let making: AgentView;
const go = (fleet: LocalFleet, name: string): string => join(fleet.directory, `go-${name}`);

const it = fleetTest(() =>
  localFleet((config) => {
    config.max_starting = 1;
    // The set-up of an agent goes on until its file is there.
    config.projects['Slow'] = {
      repository: config.projects['Setup']?.['repository'],
      default_role: 'scripted',
      setup: 'while [ ! -e "$GO-$FLEET_AGENT" ]; do sleep 0.02; done; [ "$FLEET_AGENT" != broken ]',
    };
    config.roles['scripted'] = { ...config.roles['scripted'], env_from: ['GO'] };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  fleet.env['GO'] = join(fleet.directory, 'go');
  making = await whileBranchIsLocked(fleet, 'first', async () => {
    await ask('create_agent', { project: 'Slow', task: 'hello', name: 'first' });
    return seen(ask, 'first', 'starting');
  });
  await until(
    () => logOf(ask, 'first'),
    (log) => log.some(({ message }) => String(message).startsWith('set-up: sh')),
  );
  await ask('create_agent', { project: 'Slow', task: 'hello', name: 'second' });
  await placed(ask, 'second', 1);
  await ask('create_agent', { project: 'Slow', task: 'hello', name: 'third' });
  await placed(ask, 'third', 2);
});

describe('agents that start one after the other', () => {
  it('are starting while their worktree is made and while their set-up runs [ST-starting]', async ({
    ask,
  }) => {
    expect(making.status_reason).toBe('making the workspace');
    expect(making).toMatchObject({ status: 'starting', git: null, current_task: null, busy_since: null });
    expect(await agentOf(ask, 'first')).toMatchObject({ status: 'starting', current_task: null });
  });

  it('are pending with their place until it is their turn [ST-pending]', async ({ ask }) => {
    const waiting = await agentsOf(ask, { status_filter: 'pending' });
    expect(
      waiting.map(({ name, status_reason }) => [name, /place \d+ in the queue/.exec(status_reason)?.[0]]),
    ).toEqual([
      ['second', 'place 1 in the queue'],
      ['third', 'place 2 in the queue'],
    ]);
    expect(await agentOf(ask, 'second')).toMatchObject({ status: 'pending', git: null, busy_since: null });
  });

  it('count as busy: for a task, for queueing and for waiting [ST-pending-counts-busy]', async ({ ask }) => {
    for (const agent_name of ['first', 'second']) {
      const error = await failure(ask('start_agent_task', { agent_name, task_description: 'more' }));
      expect([agent_name, error.code]).toEqual([agent_name, 'CONFLICT']);
      await queueTask(ask, agent_name, 'after the first');
      expect((await history(ask, agent_name)).map(({ message, state }) => ({ message, state }))).toEqual([
        { message: 'after the first', state: 'queued' },
        { message: 'hello', state: 'queued' },
      ]);
      const wait = await ask('wait_for_agents', { agent_names: agent_name, timeout_seconds: 0 });
      expect(wait).toMatchObject({ timed_out: true, agents: [{ name: agent_name, queue_length: 2 }] });
    }
    expect((await agentOf(ask, 'first')).status).toBe('starting');
    expect((await agentOf(ask, 'second')).status).toBe('pending');
  });

  it('move up when one is ready, and are canceled when they are stopped before', async ({ fleet, ask }) => {
    writeFileSync(go(fleet, 'first'), '');
    await waitIdle(ask, 'first');
    await seen(ask, 'second', 'starting');
    await placed(ask, 'third', 1);
    for (const agent_name of ['third', 'second']) {
      await ask('stop_agent', { agent_name });
      expect((await seen(ask, agent_name, 'canceled')).status_reason).toContain('user:tester');
    }
    for (const name of ['second', 'third']) writeFileSync(go(fleet, name), '');
    for (const agent_name of ['second', 'third']) await ask('restart_agent', { agent_name });
    await waitIdle(ask, 'second', 'third');
    for (const name of ['first', 'second', 'third'])
      expect((await history(ask, name)).map(({ state }) => state)).toContain('complete');
  });

  it('are failed with the reason when the set-up fails, and needs attention until a restart', async ({
    fleet,
    ask,
  }) => {
    writeFileSync(go(fleet, 'broken'), '');
    await ask('create_agent', { project: 'Slow', task: 'hello', name: 'broken' });
    const failed = await seen(ask, 'broken', 'failed');
    expect(failed.status_reason).toContain('exit code 1');
    expect(failed.needs_attention).toBe(true);
    expect(
      (await failure(ask('start_agent_task', { agent_name: 'broken', task_description: 'x' }))).code,
    ).toBe('INVALID_INPUT');
  });
});

function seen(ask: Ask, name: string, status: string) {
  return until(
    () => agentOf(ask, name),
    (agent) => agent.status === status,
  );
}

function placed(ask: Ask, name: string, place: number) {
  return until(
    () => agentOf(ask, name),
    (agent) => agent.status === 'pending' && agent.status_reason.includes(`place ${place} in the queue`),
  );
}

/** Nobody can make the branch of an agent meanwhile: git waits for the lock. */
async function whileBranchIsLocked<Result>(
  fleet: LocalFleet,
  name: string,
  work: () => Promise<Result>,
): Promise<Result> {
  const lock = join(fleet.repository, '.git', 'refs', 'heads', 'fleet', `${name}.lock`);
  mkdirSync(dirname(lock), { recursive: true });
  writeFileSync(lock, '');
  try {
    return await work();
  } finally {
    rmSync(lock);
  }
}
