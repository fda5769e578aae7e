import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  failure,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';

const COMMIT = 'git -c user.name=A -c user.email=a@localhost commit --quiet -am';

const it = fleetTest();

describe('the work of a deleted agent', () => {
  it('is kept on a branch that the answer names, committed or not, and kept is null without any [OP-delete_agent-kept]', async ({
    fleet,
    ask,
  }) => {
    const [busy, clean] = await Promise.all([
      worker(
        ask,
        'busy',
        `echo one > one.txt; git add .; ${COMMIT} one; echo two > two.txt; echo '# three' > README.md`,
      ),
      worker(ask, 'clean', 'true'),
    ]);
    const answer = await ask('delete_agent', { agent_name: 'busy' });
    const branch = `fleet-kept/busy/${busy.workspace_id}`;
    expect(answer).toMatchObject({ agent_name: 'busy', workspace_id: busy.workspace_id, kept: branch });
    expect(answer['message']).toContain(branch);
    expect(git(fleet, 'show', `${branch}:one.txt`)).toBe('one\n');
    expect(git(fleet, 'show', `${branch}:two.txt`)).toBe('two\n');
    expect(git(fleet, 'show', `${branch}:README.md`)).toBe('# three\n');
    expect(refs(fleet, 'fleet/busy*')).toEqual([]);

    expect(await ask('delete_agent', { agent_name: 'clean' })).toMatchObject({ kept: null });
    expect(refs(fleet, `fleet-kept/clean/${clean.workspace_id}`)).toEqual([]);
    expect((await names(ask)).filter((name) => ['busy', 'clean'].includes(name))).toEqual([]);
  });

  it('is not kept a second time when it is pushed', async ({ fleet, ask }) => {
    const origin = join(fleet.directory, 'origin.git');
    execFileSync('git', ['init', '--quiet', '--bare', origin]);
    git(fleet, 'remote', 'add', 'origin', origin);
    await worker(
      ask,
      'pusher',
      `echo p > p.txt; git add .; ${COMMIT} p; git push --quiet origin HEAD:refs/heads/pushed`,
    );
    expect(await ask('delete_agent', { agent_name: 'pusher' })).toMatchObject({ kept: null });
    git(fleet, 'fetch', '--quiet', 'origin');
    expect(git(fleet, 'show', 'refs/remotes/origin/pushed:p.txt')).toBe('p\n');
  });

  it('is kept when the branch of the agent is not what is checked out any more [OP-delete_agent-kept]', async ({
    fleet,
    ask,
  }) => {
    const agent = await worker(
      ask,
      'wanderer',
      `echo w > w.txt; git add .; ${COMMIT} w; git checkout --quiet --detach main`,
    );
    const { kept } = await ask('delete_agent', { agent_name: 'wanderer' });
    expect(kept).toBe(`fleet-kept/wanderer/${agent.workspace_id}`);
    expect(git(fleet, 'log', '--format=%s', String(kept)).split('\n')).toContain('w');
  });

  it('is kept when it is on another branch that begins with fleet/ [OP-delete_agent-kept]', async ({
    fleet,
    ask,
  }) => {
    await worker(
      ask,
      'brancher',
      `git checkout --quiet -b fleet/experiment; echo e > e.txt; git add .; ${COMMIT} e`,
    );
    const { kept } = await ask('delete_agent', { agent_name: 'brancher' });
    expect(git(fleet, 'show', `${String(kept)}:e.txt`)).toBe('e\n');
  });

  it('is all that goes: a branch of the same name that was there before stays', async ({ fleet, ask }) => {
    git(fleet, 'branch', 'fleet/famous');
    const theirs = git(fleet, 'commit-tree', '-m', 'theirs', '-p', 'main', 'main^{tree}').trim();
    git(fleet, 'update-ref', 'refs/heads/fleet/famous', theirs);
    await worker(ask, 'famous', 'true');
    await ask('delete_agent', { agent_name: 'famous' });
    expect(refs(fleet, 'fleet/famous*')).toEqual(['refs/heads/fleet/famous']);
    expect(git(fleet, 'rev-parse', 'fleet/famous').trim()).toBe(theirs);
  });

  it('stays with its agent when it cannot be kept [OP-delete_agent-cannot-keep]', async ({ fleet, ask }) => {
    const agent = await worker(ask, 'stubborn', 'echo precious > precious.txt');
    const workspace = workspaceOf(fleet, agent);
    renameSync(fleet.repository, `${fleet.repository}-away`);
    const error = await failure(ask('delete_agent', { agent_name: 'stubborn' })).finally(() =>
      renameSync(`${fleet.repository}-away`, fleet.repository),
    );
    expect(error.code).toBe('SERVICE_UNAVAILABLE');
    expect(error.details.reason).toBe('work_not_kept');
    expect(error.message).toContain(fleet.repository);
    expect(error.message).toContain('discard_work');
    expect(await agentOf(ask, 'stubborn')).toMatchObject({ name: 'stubborn', status: 'stopped' });
    expect(readFileSync(join(workspace, 'precious.txt'), 'utf8')).toBe('precious\n');
    expect(git(fleet, 'rev-parse', 'fleet/stubborn')).toBe(git(fleet, 'rev-parse', 'main'));
    const { kept } = await ask('delete_agent', { agent_name: 'stubborn' });
    expect(git(fleet, 'show', `${String(kept)}:precious.txt`)).toBe('precious\n');
  });

  it('is looked for again when it could not be kept and the agent went on [OP-delete_agent-cannot-keep]', async ({
    fleet,
    ask,
  }) => {
    await worker(ask, 'persistent', 'echo first > work.txt');
    // No branch fleet-kept/… can be beside it.
    git(fleet, 'branch', 'fleet-kept/persistent');
    const error = await failure(ask('delete_agent', { agent_name: 'persistent' }));
    expect(error.details.reason).toBe('work_not_kept');
    git(fleet, 'branch', '-D', 'fleet-kept/persistent');
    await ask('restart_agent', { agent_name: 'persistent' });
    await waitIdle(ask, 'persistent');
    await ask('start_agent_task', { agent_name: 'persistent', task_description: 'echo second > work.txt' });
    await waitIdle(ask, 'persistent');
    const { kept } = await ask('delete_agent', { agent_name: 'persistent' });
    expect(git(fleet, 'show', `${String(kept)}:work.txt`)).toBe('second\n');
  });

  it('is in the archive as it was: what was staged, ignored files, repositories inside, and modes [OP-delete_agent-archive]', async ({
    fleet,
    ask,
  }) => {
    const agent = await worker(
      ask,
      'many',
      `echo s > README.md; git add .; echo t > README.md; git init -q in; echo i > in/i; ${COMMIT.replace('-am', '-C in')} 2> /dev/null
       mkdir closed; echo c > closed/c; echo '*.log' > .gitignore; echo l > l.log; chmod 500 closed .`,
    );
    const { kept } = await ask('delete_agent', { agent_name: 'many' });
    expect(kept).toBe(`fleet-kept/many/${agent.workspace_id}`);
    const archived = join(fleet.home, 'archive', agent.workspace_id, 'work');
    expect(git(fleet, '-C', archived, 'show', ':README.md')).toBe('s\n');
    for (const [path, content] of Object.entries({
      'README.md': 't\n',
      'in/i': 'i\n',
      'closed/c': 'c\n',
      'l.log': 'l\n',
    }))
      expect(readFileSync(join(archived, path), 'utf8')).toBe(content);
    expect(statSync(join(archived, 'closed')).mode & 0o777).toBe(0o500);
  });

  it('goes with it when that is asked for [OP-delete_agent-discard]', async ({ fleet, ask }) => {
    const broken = await worker(ask, 'broken', 'echo b > b.txt');
    rmSync(join(workspaceOf(fleet, broken), '.git'), { recursive: true });
    writeFileSync(join(workspaceOf(fleet, broken), '.git'), 'this is not where a repository is\n');
    const careless = await worker(ask, 'careless', `echo c > c.txt; git add .; ${COMMIT} c; echo d > d.txt`);
    for (const { name, workspace_id } of [broken, careless]) {
      const answer = await ask('delete_agent', { agent_name: name, discard_work: true });
      expect(answer).toMatchObject({ agent_name: name, kept: null });
      for (const place of ['agents', 'archive'])
        expect(existsSync(join(fleet.home, place, workspace_id, 'work'))).toBe(false);
      expect(git(fleet, 'for-each-ref', `refs/fleet/pins/${workspace_id}`)).toBe('');
      expect([...refs(fleet, `fleet/${name}*`), ...refs(fleet, `fleet-kept/${name}/*`)]).toEqual([]);
    }
    expect((await names(ask)).filter((name) => ['broken', 'careless'].includes(name))).toEqual([]);
  });

  it('is that of its last task when the workspace is gone [OP-delete_agent-worktree-gone]', async ({
    fleet,
    ask,
  }) => {
    const [lost, empty] = await Promise.all([
      worker(ask, 'lost', `echo l > l.txt; git add .; ${COMMIT} l; echo gone > gone.txt`),
      worker(ask, 'empty', 'true'),
    ]);
    await until(async () => checkpointsOf(fleet, lost), Boolean);
    for (const agent of [lost, empty]) rmSync(workspaceOf(fleet, agent), { recursive: true });
    const { kept } = await ask('delete_agent', { agent_name: 'lost' });
    expect(kept).toBe(`fleet-kept/lost/${lost.workspace_id}`);
    expect(git(fleet, 'ls-tree', '--name-only', String(kept)).trim().split('\n')).toEqual([
      'README.md',
      'gone.txt',
      'l.txt',
    ]);
    expect(await ask('delete_agent', { agent_name: 'empty' })).toMatchObject({ kept: null });
    expect((await names(ask)).filter((name) => ['lost', 'empty'].includes(name))).toEqual([]);
  });

  it('is that of its last task when its whole directory is gone, also after a restart', async ({
    fleet,
    ask,
  }) => {
    const task = `echo m > m.txt; git add .; ${COMMIT} m; echo gone > gone.txt`;
    const { agent } = await ask('create_agent', { project: 'Setup', role: 'shell', task });
    const lost = agent as AgentView;
    const removed = async (): Promise<void> => {
      await ask('stop_agent', { agent_name: lost.name });
      rmSync(join(fleet.home, 'agents', lost.workspace_id), { recursive: true });
    };
    await waitIdle(ask, lost.name);
    await until(async () => checkpointsOf(fleet, lost), Boolean);
    await removed();
    await ask('restart_agent', { agent_name: lost.name });
    await waitIdle(ask, lost.name);
    expect(readdirSync(workspaceOf(fleet, lost))).toContain('m.txt');
    await removed();
    const { kept } = await ask('delete_agent', { agent_name: lost.name });
    expect(kept).toBe(`fleet-kept/${lost.name}/${lost.workspace_id}`);
    expect(git(fleet, 'ls-tree', '--name-only', String(kept)).trim().split('\n')).toEqual([
      'README.md',
      'gone.txt',
      'm.txt',
    ]);
  });
});

async function names(ask: Ask): Promise<string[]> {
  return (await agentsOf(ask)).map(({ name }) => name);
}

function worker(ask: Ask, name: string, task: string): Promise<AgentView> {
  return idleAgent(ask, name, { role: 'shell', task });
}

/** What Fleet's own repository has of an agent at the end of its tasks. */
function checkpointsOf(fleet: LocalFleet, { workspace_id }: AgentView): string {
  const [only = ''] = readdirSync(join(fleet.home, 'repositories'));
  return git(
    fleet,
    '-C',
    join(fleet.home, 'repositories', only),
    'for-each-ref',
    `refs/agents/${workspace_id}/checkpoints`,
  );
}

function workspaceOf(fleet: LocalFleet, { workspace_id }: AgentView): string {
  return join(fleet.home, 'agents', workspace_id, 'work');
}

function refs(fleet: LocalFleet, pattern: string): string[] {
  return git(fleet, 'for-each-ref', '--format=%(refname)', `refs/heads/${pattern}`)
    .split('\n')
    .filter(Boolean);
}

function git(fleet: LocalFleet, ...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', fleet.repository, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
}
