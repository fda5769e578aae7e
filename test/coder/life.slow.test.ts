import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { coderFleet, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  logOf,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { makeRepository } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

let fleet: CoderFleet;
const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
const status = async (name: string): Promise<string> => (await agentOf(ask, name)).status;
/** What somebody does in Coder's own page. */
const inCoder = (name: string, transition: 'start' | 'stop'): void => {
  const workspace = fleet.workspaceOf(name);
  const { preset_id, version_id } = workspace.latest;
  workspace.build(transition, { preset_id, version_id, parameters: {} });
};

beforeAll(async () => {
  fleet = await coderFleet();
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('an agent on Coder', () => {
  it('is a workspace of its name from the template of its project, where its program runs [FR-001, FR-031]', async () => {
    for (const { id, display_name } of fleet.standIn.templates) {
      const name = `of-${display_name}`;
      await idleAgent(ask, name, {
        project: display_name,
        spec: 'Mind the gap',
        task: script({ say: 'here' }),
      });
      expect(fleet.workspaceOf(name).identity).toMatchObject({ name, template_id: id });
      expect(await agentOf(ask, name)).toMatchObject({
        project: display_name,
        role: 'scripted',
        spec: 'Mind the gap',
        last_result: 'here',
      });
    }
    expect(fleet.standIn.templates.length).toBeGreaterThan(1);
  });
});

describe('an agent whose workspace is stopped', () => {
  it('keeps its history and log, regardless of who stopped it, and says from when they are', async () => {
    await idleAgent(ask, 'keeps', { task: script({ say: 'remember this' }) });
    const before = await history(ask, 'keeps');
    await logOf(ask, 'keeps');
    inCoder('keeps', 'stop');
    await until(
      () => status('keeps'),
      (now) => now === 'stopped',
    );
    expect(await history(ask, 'keeps')).toEqual(before);
    expect((await logOf(ask, 'keeps')).map(({ message }) => message)).toContain('remember this');
    const { as_of } = await ask('show_agent_task_history', { agent_name: 'keeps' });
    expect(Date.parse(String(as_of))).toBeLessThan(Date.now());
    const error = await failure(ask('start_agent_task', { agent_name: 'keeps', task_description: 'x' }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'agent_offline' } });
    inCoder('keeps', 'start');
    await until(
      () => status('keeps'),
      (now) => now === 'idle',
    );
    expect(await history(ask, 'keeps')).toEqual(before);
  });

  it('marks a task as interrupted, regardless of who stopped the workspace', async () => {
    const begun = signalFile(fleet, 'begun-stop');
    await idleAgent(ask, 'stopped-at-work');
    await ask('start_agent_task', {
      agent_name: 'stopped-at-work',
      task_description: script({ write: begun }, { hold: signalFile(fleet, 'never') }),
    });
    await until(async () => existsSync(begun), Boolean);
    inCoder('stopped-at-work', 'stop');
    await until(
      () => status('stopped-at-work'),
      (now) => now === 'stopped',
    );
    inCoder('stopped-at-work', 'start');
    await until(
      () => status('stopped-at-work'),
      (now) => now === 'idle',
    );
    expect((await history(ask, 'stopped-at-work'))[0]).toMatchObject({ state: 'interrupted' });
  });
});

describe('the first task', () => {
  it('is delivered although everybody who asked for it is gone, and once', async () => {
    const file = signalFile(fleet, 'delivered');
    const input = { project: 'Setup', name: 'orphan', task: script({ append: file }) };
    {
      await using other = openFleet({ env: fleet.env, cwd: fleet.directory });
      await askAs(other.fleet)('create_agent', input);
    }
    await until(async () => existsSync(file), Boolean);
    await waitIdle(ask, 'orphan');
    expect(await history(ask, 'orphan')).toMatchObject([{ message: input.task, state: 'complete' }]);
    inCoder('orphan', 'stop');
    await until(
      () => status('orphan'),
      (now) => now === 'stopped',
    );
    inCoder('orphan', 'start');
    await until(
      () => status('orphan'),
      (now) => now === 'idle',
    );
    expect(await history(ask, 'orphan')).toHaveLength(1);
  });

  it('makes one workspace for one idempotency key, whatever name is found', async () => {
    const input = { project: 'Setup', task: 'once', idempotency_key: 'the-key' };
    const { agent } = await ask('create_agent', input);
    const count = fleet.standIn.workspaces.length;
    const [backend] = await coderBackends(fleet.opened);
    const row = backend?.context.rows.byId((agent as Answer)['workspace_id'] as string);
    expect(row?.origin?.agent_id).toMatch(/-/);
    expect(await ask('create_agent', input)).toMatchObject({ agent: { name: (agent as Answer)['name'] } });
    expect(fleet.standIn.workspaces).toHaveLength(count);
  });

  it('must fit into a parameter', async () => {
    const task = 'ä'.repeat(65_000);
    const error = await failure(ask('create_agent', { project: 'Setup', task, name: 'too-long' }));
    expect(error).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'task', reason: 'parameter_too_large' },
    });
  });
});

describe('another fleet of the same user', () => {
  it('sees the agent and what it does, reaches its runner only after a restart of its own', async () => {
    await idleAgent(ask, 'shared', { task: 'first' });
    const env = { ...fleet.env, FLEET_HOME: join(fleet.directory, 'other-home') };
    await using opened = openFleet({ env, cwd: fleet.directory });
    const other = askAs(opened.fleet);
    expect(await agentOf(other, 'shared')).toMatchObject({ status: 'idle', role: 'scripted', spec: 'first' });
    for (const call of [
      () => other('show_agent_task_history', { agent_name: 'shared' }),
      () => other('start_agent_task', { agent_name: 'shared', task_description: 'mine' }),
    ]) {
      const error = await failure(call());
      expect(error).toMatchObject({ code: 'UNAUTHORIZED', details: { reason: 'runner_signature' } });
      expect(error.message).toContain('restart_agent');
    }
    await other('restart_agent', { agent_name: 'shared' });
    await waitIdle(other, 'shared');
    await other('start_agent_task', { agent_name: 'shared', task_description: 'mine' });
    await waitIdle(other, 'shared');
    expect((await history(other, 'shared')).map(({ message }) => message)).toEqual(['mine', 'first']);
  });
});

describe('builds', () => {
  it('that fail are reported with the reason from their log [T-build-failed]', async () => {
    await idleAgent(ask, 'breaks');
    fleet.standIn.manners.fail = { stop: 'no space left on device' };
    const restart = await failure(ask('restart_agent', { agent_name: 'breaks' }));
    expect(restart).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'build_failed' } });
    expect(restart.message).toContain('no space left on device');
    fleet.standIn.manners.fail = { delete: 'volume is in use' };
    const removed = await failure(ask('delete_agent', { agent_name: 'breaks' }));
    expect(removed).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'build_failed' } });
    expect(removed.message).toContain('volume is in use');
    expect(await agentOf(ask, 'breaks')).toMatchObject({
      status: 'failed',
      needs_attention: true,
      status_reason: expect.stringContaining('volume is in use'),
    });
    fleet.standIn.manners.fail = {};
    await ask('restart_agent', { agent_name: 'breaks' });
    await waitIdle(ask, 'breaks');
    await ask('delete_agent', { agent_name: 'breaks' });
  });

  it('of a new agent that fail leave it failed, and restart delivers its task', async () => {
    fleet.standIn.manners.fail = { start: 'quota exceeded' };
    await ask('create_agent', { project: 'Setup', task: 'after all', name: 'unlucky' });
    await until(
      () => status('unlucky'),
      (now) => now === 'failed',
    );
    fleet.standIn.manners.fail = {};
    await ask('restart_agent', { agent_name: 'unlucky' });
    await waitIdle(ask, 'unlucky');
    expect(await history(ask, 'unlucky')).toMatchObject([{ message: 'after all', state: 'complete' }]);
  });

  it('that are under way are canceled by stop and by delete', async () => {
    fleet.standIn.manners.build_ms = 3_000;
    await ask('create_agent', { project: 'Setup', task: 'x', name: 'hasty' });
    expect(['pending', 'starting']).toContain(await status('hasty'));
    expect(await ask('stop_agent', { agent_name: 'hasty' })).toMatchObject({ status: 'canceled' });
    await ask('create_agent', { project: 'Setup', task: 'x', name: 'hastier' });
    fleet.standIn.manners.build_ms = 20;
    await ask('delete_agent', { agent_name: 'hastier' });
    expect(fleet.workspaceOf('hastier').builds[0]?.job).toBe('canceled');
    expect((await failure(ask('show_agent', { agent_name: 'hastier' }))).code).toBe('NOT_FOUND');
  });

  it('take the active version of the template at a restart, and wake a dormant workspace', async () => {
    await idleAgent(ask, 'sleeper');
    await ask('stop_agent', { agent_name: 'sleeper' });
    const workspace = fleet.workspaceOf('sleeper');
    workspace.dormant_at = new Date().toISOString();
    expect((await agentOf(ask, 'sleeper')).status_reason).toContain('dormant');
    await ask('restart_agent', { agent_name: 'sleeper' });
    await waitIdle(ask, 'sleeper');
    expect(workspace.dormant_at).toBeNull();
  });
});

describe('delete', () => {
  const project = (name: string): string =>
    join(fleet.directory, 'workspaces', fleet.workspaceOf(name).id, 'project');
  const git = (directory: string, ...args: string[]): string =>
    execFileSync('git', ['-C', directory, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
      encoding: 'utf8',
    }).trim();

  it('has told before where the work stands, in lists too', async () => {
    const origin = makeRepository(join(fleet.directory, 'told'));
    await idleAgent(ask, 'teller');
    git(fleet.directory, 'clone', '--quiet', origin, project('teller'));
    git(project('teller'), 'commit', '--quiet', '--allow-empty', '-m', 'one more');
    writeFileSync(join(project('teller'), 'new.txt'), 'not committed\n');
    await ask('start_agent_task', { agent_name: 'teller', task_description: 'true' });
    await waitIdle(ask, 'teller');
    const seen = await until(
      async () => (await agentOf(ask, 'teller')).git,
      (facts) => facts !== null,
    );
    expect(seen).toMatchObject({
      branch: 'main',
      base: 'origin/main',
      ahead: 1,
      behind: 0,
      changed_files: 1,
      dirty: true,
      last_commit: expect.stringContaining('one more'),
    });
    expect((await agentsOf(ask)).find(({ name }) => name === 'teller')?.git).toEqual(seen);
    await ask('delete_agent', { agent_name: 'teller', discard_work: true });
  });

  it('pushes work that is nowhere else to origin, and has nothing to keep without a repository [OP-delete_agent-coder-kept]', async () => {
    const origin = makeRepository(join(fleet.directory, 'origin'));
    await idleAgent(ask, 'bare');
    expect(await ask('delete_agent', { agent_name: 'bare' })).toMatchObject({ kept: null });

    await idleAgent(ask, 'worker');
    git(fleet.directory, 'clone', '--quiet', origin, project('worker'));
    writeFileSync(join(project('worker'), 'new.txt'), 'not pushed\n');
    const { workspace_id } = await agentOf(ask, 'worker');
    const answer = await ask('delete_agent', { agent_name: 'worker' });
    expect(answer['kept']).toBe(`fleet-kept/worker/${workspace_id}`);
    expect(git(origin, 'show', `${String(answer['kept'])}:new.txt`)).toBe('not pushed');
  });

  it('fails where the work cannot be pushed, unless it may be lost; the agent goes on', async () => {
    await idleAgent(ask, 'stuck-work');
    mkdirSync(project('stuck-work'), { recursive: true });
    git(project('stuck-work'), 'init', '--quiet');
    writeFileSync(join(project('stuck-work'), 'new.txt'), 'x\n');
    const error = await failure(ask('delete_agent', { agent_name: 'stuck-work' }));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'work_not_kept' } });
    await until(
      () => status('stuck-work'),
      (now) => now === 'idle',
    );
    await ask('delete_agent', { agent_name: 'stuck-work', discard_work: true });
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('stuck-work');
  });

  it('is noticed when somebody does it in Coder', async () => {
    await idleAgent(ask, 'vanishes');
    const cursor = (await ask('wait_for_agents', { until: 'any_change', timeout_seconds: 1 }))['cursor'];
    const workspace = fleet.workspaceOf('vanishes');
    workspace.build('delete', { preset_id: null, version_id: workspace.latest.version_id, parameters: {} });
    await until(async () => workspace.isDeleted, Boolean);
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('vanishes');
    const events = fleet.fleet.events?.since(String(cursor), 500) ?? [];
    expect(events.filter(({ agent_name }) => agent_name === 'vanishes').map(({ kind }) => kind)).toContain(
      'agent.deleted',
    );
  });
});
