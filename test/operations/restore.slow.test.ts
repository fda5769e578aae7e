import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { KeptAgent } from '../../src/domain/kept-agent.ts';
import { AgentRows } from '../../src/backends/local/records/agent-rows.ts';
import { openStore } from '../../src/backends/local/records/open-store.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  history,
  idleAgent,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { keepOnce, localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const COMMIT = 'git -c user.name=A -c user.email=a@localhost commit --quiet -am';
const UNKNOWN = '00000000-0000-4000-8000-000000000000';
let fleet: LocalFleet;
let ask: Ask;

beforeAll(() => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

const git = (...args: string[]): string =>
  execFileSync('git', ['-C', fleet.repository, ...args], { encoding: 'utf8', stdio: 'pipe' });
const refs = (pattern: string): string[] =>
  git('for-each-ref', '--format=%(refname)', pattern)
    .split('\n')
    .filter((line) => line !== '');
const keptOf = async (name: string): Promise<KeptAgent | undefined> =>
  ((await ask('list_kept'))['kept'] as KeptAgent[]).find(({ agent_name }) => agent_name === name);

/** The id of an agent that worked and was deleted. */
async function deleted(name: string, task = 'true', discard_work = false): Promise<string> {
  const { workspace_id } = await idleAgent(ask, name, { role: 'shell', task });
  await ask('delete_agent', { agent_name: name, discard_work });
  return workspace_id;
}

describe('a deleted agent', () => {
  it('is listed with its branch and the size of its archive, and comes back with its work and history [OP-list_kept, OP-restore_agent]', async () => {
    const id = await deleted(
      'sony',
      `echo one > one.txt; git add .; ${COMMIT} one; echo two > two.txt; git stash -u -q; echo three > three.txt`,
    );
    const branch = `fleet-kept/sony/${id}`;
    const kept = await keptOf('sony');
    expect(kept).toEqual({
      workspace_id: id,
      agent_name: 'sony',
      project: 'Setup',
      deleted_at: expect.stringMatching(/^\d{4}-.*Z$/),
      branch,
      bytes: expect.any(Number),
    });
    expect(kept?.bytes).toBeGreaterThan(1000);
    expect(refs('refs/remotes/fleet/sony')).toEqual([]);

    const { agent, message } = await ask('restore_agent', { workspace_id: id });
    expect(agent).toMatchObject({ name: 'sony', workspace_id: id, status: 'stopped', project: 'Setup' });
    expect(message).toContain('restart_agent');
    expect(readFileSync(workspace(id, 'three.txt'), 'utf8')).toBe('three\n');
    expect(git('show', 'refs/remotes/fleet/sony:one.txt')).toBe('one\n');
    expect(existsSync(join(fleet.home, 'archive', id))).toBe(false);
    // The work is the agent's again.
    expect(await keptOf('sony')).toBeUndefined();
    expect(refs(`refs/heads/${branch}`)).toEqual([]);
    expect(await history(ask, 'sony')).toHaveLength(1);

    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
    await ask('start_agent_task', {
      agent_name: 'sony',
      task_description: `git stash pop -q; ${COMMIT} more; echo four > four.txt`,
    });
    await waitIdle(ask, 'sony');
    expect((await history(ask, 'sony')).map(({ state }) => state)).toEqual(['complete', 'complete']);
    expect(readFileSync(workspace(id, 'two.txt'), 'utf8')).toBe('two\n');
    expect(await ask('delete_agent', { agent_name: 'sony' })).toMatchObject({ kept: branch });
    expect(git('show', `${branch}:four.txt`)).toBe('four\n');
    expect(await keptOf('sony')).toMatchObject({ workspace_id: id, branch });
  });

  it('tells of its return once, and not again of its first life', async () => {
    const id = await deleted('teller');
    const cursor = (await ask('wait_for_agents', { timeout_seconds: 0 }))['cursor'] as string;
    await ask('restore_agent', { workspace_id: id });
    const events = fleet.fleet.events?.since(cursor, 100) ?? [];
    expect(events.map(({ kind, data }) => [kind, data['status']])).toEqual([['agent.status', 'stopped']]);
  });

  it('comes back under another name when its own is taken', async () => {
    const id = await deleted('papi', `echo p > p.txt; git add .; ${COMMIT} p`);
    await idleAgent(ask, 'Papi');
    const taken = await failure(ask('restore_agent', { workspace_id: id }));
    expect([taken.code, taken.details.reason]).toEqual(['CONFLICT', 'name_taken']);
    expect(await keptOf('papi')).toMatchObject({ workspace_id: id });
    expect((await failure(ask('restore_agent', { workspace_id: id, name: 'new' }))).code).toBe(
      'INVALID_INPUT',
    );
    await ask('restore_agent', { workspace_id: id, name: 'second' });
    expect(await agentOf(ask, 'second')).toMatchObject({ workspace_id: id, status: 'stopped' });
    expect(git('show', 'refs/remotes/fleet/second:p.txt')).toBe('p\n');
    await ask('restart_agent', { agent_name: 'second' });
    await waitIdle(ask, 'second');
    await ask('start_agent_task', { agent_name: 'second', task_description: 'printf $FLEET_AGENT > me' });
    await waitIdle(ask, 'second');
    expect(readFileSync(workspace(id, 'me'), 'utf8')).toBe('second');
  });

  it('that is there again is given as it is, and keeps its name', async () => {
    const id = await deleted('twice');
    await ask('restore_agent', { workspace_id: id });
    expect((await ask('restore_agent', { workspace_id: id }))['agent']).toMatchObject({ name: 'twice' });
    const renamed = await failure(ask('restore_agent', { workspace_id: id, name: 'other' }));
    expect([renamed.code, renamed.details.reason]).toEqual(['CONFLICT', 'not_deleted']);
  });

  it('that nobody knows is NOT_FOUND, and one without a workspace says what is left of it', async () => {
    expect(await failure(ask('restore_agent', { workspace_id: UNKNOWN }))).toMatchObject({
      code: 'NOT_FOUND',
      details: { field: 'workspace_id' },
    });
    const discarded = await deleted('discarded', 'echo d > d.txt', true);
    const gone = await failure(ask('restore_agent', { workspace_id: discarded }));
    expect([gone.code, gone.details.reason]).toEqual(['CONFLICT', 'workspace_gone']);
    expect(await keptOf('discarded')).toBeUndefined();

    const id = await deleted('branchy', 'echo b > b.txt');
    rmSync(join(fleet.home, 'archive', id), { recursive: true });
    const branch = `fleet-kept/branchy/${id}`;
    expect(await keptOf('branchy')).toMatchObject({
      workspace_id: id,
      branch,
      bytes: null,
      project: 'Setup',
    });
    const left = await failure(ask('restore_agent', { workspace_id: id }));
    expect([left.code, left.details.reason]).toEqual(['CONFLICT', 'workspace_gone']);
    expect(left.message).toContain(`git switch -c NAME ${branch}`);
  });

  it('of an older version, which worked in a worktree, says where its work is', async () => {
    const id = await deleted('older', 'echo o > o.txt');
    const archive = join(fleet.home, 'archive', id);
    const journal = new DatabaseSync(join(archive, 'journal.db'));
    journal.exec(`UPDATE meta SET value = json_remove(value, '$.plan.clone') WHERE key = 'origin'`);
    journal.close();
    const error = await failure(ask('restore_agent', { workspace_id: id }));
    expect([error.code, error.details.reason]).toEqual(['CONFLICT', 'made_by_older_version']);
    expect(error.message).toContain(join(archive, 'work'));
    expect(error.message).toContain('git switch -c NAME');
    expect(await keptOf('older')).toMatchObject({ branch: `fleet-kept/older/${id}` });
  });

  it('whose branch somebody works on comes back, and the branch stays', async () => {
    const id = await deleted('shared', 'echo s > s.txt');
    const branch = `fleet-kept/shared/${id}`;
    git('worktree', 'add', '--quiet', join(fleet.directory, 'tree'), branch);
    await ask('restore_agent', { workspace_id: id });
    expect(refs(`refs/heads/${branch}`)).toHaveLength(1);
    expect(await keptOf('shared')).toBeUndefined();
  });

  it('is restored once by two that do so at the same time', async () => {
    const id = await deleted('wanted', 'echo w > w.txt');
    const calls = await Promise.allSettled([1, 2, 3].map(() => ask('restore_agent', { workspace_id: id })));
    expect(calls.some(({ status }) => status === 'fulfilled')).toBe(true);
    for (const call of calls)
      if (call.status === 'rejected') expect(call.reason).toMatchObject({ code: 'CONFLICT' });
    expect((await agentsOf(ask)).filter(({ name }) => name === 'wanted')).toHaveLength(1);
    expect(readFileSync(workspace(id, 'w.txt'), 'utf8')).toBe('w\n');
  });

  it('whose restore was cut off is in the archive again, and can be restored', async () => {
    const id = await deleted('cut', 'echo c > c.txt');
    using store = openStore(fleet.home);
    const rows = new AgentRows(store);
    await ask('restore_agent', { workspace_id: id });
    const by = { principal: 'tester', door: 'cli' } as const;
    rows.bury(id, { by, at: new Date().toISOString(), discard_work: false, deleter: null });
    expect((await ask('restore_agent', { workspace_id: id }))['agent']).toMatchObject({ status: 'stopped' });
    expect(readFileSync(workspace(id, 'c.txt'), 'utf8')).toBe('c\n');
    rows.bury(id, { by, at: new Date().toISOString(), discard_work: false, deleter: null });
    await keepOnce(fleet.opened);
    expect(await keptOf('cut')).toMatchObject({ workspace_id: id });
  });
});

function workspace(id: string, file: string): string {
  return join(fleet.home, 'agents', id, 'work', file);
}
