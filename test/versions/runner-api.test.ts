import { cpSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  idleAgent,
  waitIdle,
} from '../support/fleets/fleet-under-test.ts';
import { edit, sharedHome, type SharedHome } from './first-version.ts';

const ROOT = join(import.meta.dirname, '..', '..');
let shared: SharedHome;
beforeEach(() => {
  shared = sharedHome();
});
afterEach(() => shared[Symbol.asyncDispose]());

describe('a runner whose API this version does not speak', () => {
  beforeEach(async () => {
    const runner = join(shared.directory, 'first', 'dist', 'runner-main.js');
    edit(runner, '"v1"', '"v0"');
    await idleAgent(shared.older, 'foreign');
  });

  it('is said to be of another version, and can be looked at', async () => {
    const task = { agent_name: 'foreign', task_description: 'x' };
    expect(await failure(shared.newer('start_agent_task', task))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'runner_api' },
      message: expect.stringMatching(/API v0.*restart_agent brings it to this version/) as string,
    });
    const set = { agent_name: 'foreign', key: 'fleet_mcp_a', value: 'b' };
    expect(await failure(shared.newer('set_agent_metadata', set))).toMatchObject({
      details: { reason: 'runner_api' },
    });
    expect(await agentsOf(shared.newer)).toMatchObject([{ name: 'foreign', status: 'idle' }]);
    expect(await history(shared.newer, 'foreign')).toHaveLength(1);
    expect(shared.runnerOf('foreign').program).toContain('first');
  });

  it('is replaced by a restart, and takes tasks then', async () => {
    await shared.newer('restart_agent', { agent_name: 'foreign' });
    await shared.newer('start_agent_task', {
      agent_name: 'foreign',
      task_description: 'x',
      when_busy: 'queue',
    });
    await waitIdle(shared.newer, 'foreign');
    expect(await history(shared.newer, 'foreign')).toMatchObject([{ message: 'x', state: 'complete' }, {}]);
    expect(shared.runnerOf('foreign').program).not.toContain('first');
  });

  it('is ended by a delete', async () => {
    await shared.newer('delete_agent', { agent_name: 'foreign' });
    expect(await agentsOf(shared.newer)).toEqual([]);
  });
});

describe('a version that has a new API beside the one before', () => {
  let next: string;
  beforeEach(() => {
    const checkout = join(shared.directory, 'next');
    mkdirSync(checkout);
    for (const name of ['bin', 'src', 'package.json'])
      cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
    symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
    edit(join(checkout, 'src', 'runner', 'api', 'api-versions.ts'), `['v1']`, `['v2', 'v1']`);
    next = join(checkout, 'bin', 'fleet.js');
  });

  it('speaks with a runner that has only the one before', async () => {
    await idleAgent(shared.newer, 'before');
    const ask = shared.by(next);
    await ask('start_agent_task', { agent_name: 'before', task_description: 'x' });
    await ask('set_agent_metadata', { agent_name: 'before', key: 'fleet_mcp_a', value: 'b' });
    await waitIdle(ask, 'before');
    expect(await history(ask, 'before')).toMatchObject([{ message: 'x', state: 'complete' }, {}]);
    expect((await agentOf(ask, 'before')).fleet_metadata).toMatchObject({ fleet_mcp_a: 'b' });
    expect(shared.runnerOf('before').program).not.toContain('next');
  });

  it('has runners that hear a command that has only the one before', async () => {
    await idleAgent(shared.by(next), 'ahead');
    for (const ask of [shared.newer, shared.by(next)]) {
      await ask('start_agent_task', { agent_name: 'ahead', task_description: 'x', when_busy: 'queue' });
      await waitIdle(ask, 'ahead');
    }
    expect(await history(shared.newer, 'ahead')).toHaveLength(3);
    expect(shared.runnerOf('ahead').program).toContain('next');
  });
});
