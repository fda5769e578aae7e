import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  until,
  waitIdle,
  type Ask,
} from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { queueTask } from './held-task.ts';

let fleet: LocalFleet;
let ask: Ask;
const go = (name: string): string => join(fleet.directory, `go-${name}`);

beforeAll(() => {
  fleet = localFleet((config) => {
    config.max_starting = 1;
    // The set-up of an agent goes on until its file is there.
    config.projects['Slow'] = {
      repository: config.projects['Setup']?.['repository'],
      default_role: 'scripted',
      setup: 'while [ ! -e "$GO-$FLEET_AGENT" ]; do sleep 0.02; done; [ "$FLEET_AGENT" != broken ]',
    };
    config.roles['scripted'] = { ...config.roles['scripted'], env_from: ['GO'] };
  });
  fleet.env['GO'] = join(fleet.directory, 'go');
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('agents that start one after the other', () => {
  it('are starting while their worktree is made and while their set-up runs [ST-starting]', async () => {
    const lock = join(fleet.repository, '.git', 'refs', 'heads', 'fleet', 'first.lock');
    mkdirSync(join(lock, '..'), { recursive: true });
    writeFileSync(lock, '');
    await ask('create_agent', { project: 'Slow', task: 'hello', name: 'first' });
    const making = await seen('first', 'starting');
    expect(making.status_reason).toBe('making the workspace');
    expect(making).toMatchObject({ git: null, current_task: null, busy_since: null });
    rmSync(lock);
    const log = await until(
      () => ask('show_agent_log', { agent_name: 'first' }),
      ({ logs }) => JSON.stringify(logs).includes('set-up: sh'),
    );
    expect(log['total_count']).toBe(2);
    expect(await agentOf(ask, 'first')).toMatchObject({ status: 'starting', queue_length: 1 });
  });

  it('are pending with their place until it is their turn [ST-pending]', async () => {
    await ask('create_agent', { project: 'Slow', task: 'hello', name: 'second' });
    await placed('second', 1);
    await ask('create_agent', { project: 'Slow', task: 'hello', name: 'third' });
    await placed('third', 2);
    expect((await agentsOf(ask, { status_filter: 'pending' })).map(({ name }) => name)).toEqual([
      'second',
      'third',
    ]);
    expect(await agentOf(ask, 'second')).toMatchObject({ status: 'pending', git: null, busy_since: null });
  });

  it('count as busy: for a task, for queueing and for waiting [ST-pending-counts-busy]', async () => {
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

  it('move up when one is ready, and run what they were given', async () => {
    writeFileSync(go('first'), '');
    await waitIdle(ask, 'first');
    await seen('second', 'starting');
    await placed('third', 1);
    expect((await history(ask, 'first')).map(({ message, state }) => ({ message, state }))).toEqual([
      { message: 'after the first', state: 'complete' },
      { message: 'hello', state: 'complete' },
    ]);
  });

  it('are canceled when they are stopped before they are ready, and start again on a restart', async () => {
    for (const agent_name of ['third', 'second']) {
      await ask('stop_agent', { agent_name });
      expect((await seen(agent_name, 'canceled')).status_reason).toContain('user:tester');
    }
    for (const name of ['second', 'third']) writeFileSync(go(name), '');
    for (const agent_name of ['second', 'third']) await ask('restart_agent', { agent_name });
    await waitIdle(ask, 'second', 'third');
    expect((await agentOf(ask, 'third')).status).toBe('idle');
  });

  it('are failed with the reason when the set-up fails, and needs attention until a restart', async () => {
    writeFileSync(go('broken'), '');
    await ask('create_agent', { project: 'Slow', task: 'hello', name: 'broken' });
    const failed = await seen('broken', 'failed');
    expect(failed.status_reason).toContain('exit code 1');
    expect(failed.needs_attention).toBe(true);
    expect(
      (await failure(ask('start_agent_task', { agent_name: 'broken', task_description: 'x' }))).code,
    ).toBe('INVALID_INPUT');
  });
});

function seen(name: string, status: string) {
  return until(
    () => agentOf(ask, name),
    (agent) => agent.status === status,
  );
}

function placed(name: string, place: number) {
  return until(
    () => agentOf(ask, name),
    (agent) => agent.status === 'pending' && agent.status_reason.endsWith(`place ${place} in the queue`),
  );
}
