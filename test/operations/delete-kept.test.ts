import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { agentOf, agentsOf, askAs, failure, idleAgent, type Ask } from '../support/fleet-under-test.ts';
import { localFleet, makeRepository, type LocalFleet } from '../support/local-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
const COMMIT = 'git -c user.name=A -c user.email=a@localhost commit --quiet -am';

beforeAll(() => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('the work of a deleted agent', () => {
  it('is kept on a branch that the answer names, committed or not, and kept is null without any [OP-delete_agent-kept]', async () => {
    const [busy, clean] = await Promise.all([
      worker(
        'busy',
        `echo one > one.txt; git add .; ${COMMIT} one; echo two > two.txt; echo '# three' > README.md`,
      ),
      worker('clean', 'true'),
    ]);
    const answer = await ask('delete_agent', { agent_name: 'busy' });
    const branch = `fleet-kept/busy/${busy.workspace_id}`;
    expect(answer).toMatchObject({ agent_name: 'busy', workspace_id: busy.workspace_id, kept: branch });
    expect(answer['message']).toContain(branch);
    expect(git('show', `${branch}:one.txt`)).toBe('one\n');
    expect(git('show', `${branch}:two.txt`)).toBe('two\n');
    expect(git('show', `${branch}:README.md`)).toBe('# three\n');
    expect(refs('fleet/busy*')).toEqual([]);

    expect(await ask('delete_agent', { agent_name: 'clean' })).toMatchObject({ kept: null });
    expect(refs(`fleet-kept/clean/${clean.workspace_id}`)).toEqual([]);
    expect((await names()).filter((name) => ['busy', 'clean'].includes(name))).toEqual([]);
  });

  it('is not kept a second time when it is pushed', async () => {
    const origin = join(fleet.directory, 'origin.git');
    execFileSync('git', ['init', '--quiet', '--bare', origin]);
    git('remote', 'add', 'origin', origin);
    await worker(
      'pusher',
      `echo p > p.txt; git add .; ${COMMIT} p; git push --quiet origin HEAD:refs/heads/pushed`,
    );
    expect(await ask('delete_agent', { agent_name: 'pusher' })).toMatchObject({ kept: null });
    expect(git('show', 'refs/remotes/origin/pushed:p.txt')).toBe('p\n');
  });

  it('is kept when the branch of the agent is not what is checked out any more [OP-delete_agent-kept]', async () => {
    const agent = await worker(
      'wanderer',
      `echo w > w.txt; git add .; ${COMMIT} w; git checkout --quiet --detach main`,
    );
    const { kept } = await ask('delete_agent', { agent_name: 'wanderer' });
    expect(kept).toBe(`fleet-kept/wanderer/${agent.workspace_id}`);
    expect(git('show', `${String(kept)}:w.txt`)).toBe('w\n');
  });

  it('is kept when it is on another branch that begins with fleet/ [OP-delete_agent-kept]', async () => {
    await worker(
      'brancher',
      `git checkout --quiet -b fleet/experiment; echo e > e.txt; git add .; ${COMMIT} e`,
    );
    const { kept } = await ask('delete_agent', { agent_name: 'brancher' });
    const holders = [...refs('fleet/experiment'), ...(typeof kept === 'string' ? [kept] : [])];
    expect(holders.map((ref) => git('show', `${ref}:e.txt`))).toContain('e\n');
  });

  it('is all that goes: a branch of the same name that was there before stays', async () => {
    git('branch', 'fleet/famous');
    const theirs = git('commit-tree', '-m', 'theirs', '-p', 'main', 'main^{tree}').trim();
    git('update-ref', 'refs/heads/fleet/famous', theirs);
    await worker('famous', 'true');
    await ask('delete_agent', { agent_name: 'famous' });
    expect(refs('fleet/famous*')).toEqual(['refs/heads/fleet/famous']);
    expect(git('rev-parse', 'fleet/famous').trim()).toBe(theirs);
  });

  it('stays with its agent when it cannot be kept [OP-delete_agent-cannot-keep]', async () => {
    const agent = await worker('stubborn', 'echo precious > precious.txt');
    const worktree = worktreeOf(agent);
    renameSync(fleet.repository, `${fleet.repository}-away`);
    const error = await failure(ask('delete_agent', { agent_name: 'stubborn' })).finally(() =>
      renameSync(`${fleet.repository}-away`, fleet.repository),
    );
    expect(error.code).toBe('SERVICE_UNAVAILABLE');
    expect(error.details.reason).toBe('work_not_kept');
    expect(error.message).toContain(fleet.repository);
    expect(error.message).toContain('discard_work');
    expect(await agentOf(ask, 'stubborn')).toMatchObject({ name: 'stubborn', status: 'stopped' });
    expect(readFileSync(join(worktree, 'precious.txt'), 'utf8')).toBe('precious\n');
    expect(refs('fleet/stubborn')).toHaveLength(1);
    const { kept } = await ask('delete_agent', { agent_name: 'stubborn' });
    expect(git('show', `${String(kept)}:precious.txt`)).toBe('precious\n');
  });

  it('is kept in all its states, and the answer names each branch', async () => {
    const agent = await worker(
      'many',
      'echo s > README.md; git add .; echo t > README.md; mkdir in; git -C in init -q; echo i > in/i',
    );
    const main = `fleet-kept/many/${agent.workspace_id}`;
    const { kept, message } = await ask('delete_agent', { agent_name: 'many' });
    expect(kept).toBe(main);
    expect(message).toContain(`the branches ${main}, ${main}-index, ${main}-nested`);
    expect(refs('fleet-kept/many/*')).toHaveLength(3);
  });

  it('is kept where the project names files that git ignores', async () => {
    const ignoring = makeRepository(join(fleet.directory, 'ignoring'));
    writeFileSync(join(ignoring, '.gitignore'), '.env\nnotes/\nbuild/\n');
    for (const args of [
      ['add', '.'],
      ['commit', '--quiet', '-m', 'rules'],
    ])
      execFileSync('git', ['-C', ignoring, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args]);
    writeFileSync(join(ignoring, '.env'), 'COPIED=1\n');
    fleet.configure(({ projects }) => {
      projects['Ignoring'] = {
        repository: ignoring,
        default_role: 'shell',
        copy: ['.env'],
        keep: ['.env', 'notes/**'],
      };
    });
    await idleAgent(ask, 'same', { project: 'Ignoring', task: 'mkdir build; echo b > build/b' });
    expect(await ask('delete_agent', { agent_name: 'same' })).toMatchObject({ kept: null });
    await idleAgent(ask, 'noting', {
      project: 'Ignoring',
      task: 'mkdir -p notes/a build; echo n > notes/a/n; echo MORE=1 >> .env; echo b > build/b',
    });
    const { kept } = await ask('delete_agent', { agent_name: 'noting' });
    const names = execFileSync('git', ['-C', ignoring, 'ls-tree', '-r', '--name-only', String(kept)], {
      encoding: 'utf8',
    });
    expect(names.trim().split('\n')).toEqual(['.env', 'notes/a/n']);
  });

  it('goes with it when that is asked for [OP-delete_agent-discard]', async () => {
    const broken = await worker('broken', 'echo b > b.txt');
    writeFileSync(join(worktreeOf(broken), '.git'), 'this is not where a repository is\n');
    const careless = await worker('careless', `echo c > c.txt; git add .; ${COMMIT} c; echo d > d.txt`);
    for (const { name, workspace_id } of [broken, careless]) {
      const answer = await ask('delete_agent', { agent_name: name, discard_work: true });
      expect(answer).toMatchObject({ agent_name: name, kept: null });
      expect(existsSync(join(fleet.home, 'worktrees', workspace_id))).toBe(false);
      expect([...refs(`fleet/${name}*`), ...refs(`fleet-kept/${name}/*`)]).toEqual([]);
    }
    expect((await names()).filter((name) => ['broken', 'careless'].includes(name))).toEqual([]);
  });

  it('is what was committed when the worktree is gone [OP-delete_agent-worktree-gone]', async () => {
    const [lost, empty] = await Promise.all([
      worker('lost', `echo l > l.txt; git add .; ${COMMIT} l; echo gone > gone.txt`),
      worker('empty', 'true'),
    ]);
    for (const agent of [lost, empty]) rmSync(worktreeOf(agent), { recursive: true });
    const { kept } = await ask('delete_agent', { agent_name: 'lost' });
    expect(kept).toBe(`fleet-kept/lost/${lost.workspace_id}`);
    expect(git('ls-tree', '--name-only', String(kept)).trim().split('\n')).toEqual(['README.md', 'l.txt']);
    expect(await ask('delete_agent', { agent_name: 'empty' })).toMatchObject({ kept: null });
    expect((await names()).filter((name) => ['lost', 'empty'].includes(name))).toEqual([]);
    expect(git('worktree', 'list')).not.toContain(lost.workspace_id);
  });
});

async function names(): Promise<string[]> {
  return (await agentsOf(ask)).map(({ name }) => name);
}

function worker(name: string, task: string): Promise<AgentView> {
  return idleAgent(ask, name, { role: 'shell', task });
}

function worktreeOf({ workspace_id }: AgentView): string {
  return join(fleet.home, 'worktrees', workspace_id);
}

function refs(pattern: string): string[] {
  return git('for-each-ref', '--format=%(refname)', `refs/heads/${pattern}`).split('\n').filter(Boolean);
}

function git(...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', fleet.repository, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  );
}
