import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;
const SHELL = { role: 'shell', task: 'true' };
const COMMIT = 'git -c user.name=A -c user.email=a@localhost commit --quiet';

beforeAll(() => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  commitTo('older', 'older.txt');
  git('tag', 'v1', 'older');
  git('branch', 'feature');
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('the branch of an agent', () => {
  it('starts from the base that was asked for [OP-create_agent-base]', async () => {
    const [byTag, byBranch, byCommit, plain] = await Promise.all([
      idleAgent(ask, 'by-tag', { ...SHELL, base: 'v1' }),
      idleAgent(ask, 'by-branch', { ...SHELL, base: 'older' }),
      idleAgent(ask, 'by-commit', { ...SHELL, base: tip('older').slice(0, 10) }),
      idleAgent(ask, 'plain', SHELL),
    ]);
    for (const { name } of [byTag, byBranch, byCommit]) {
      expect(await gitOf(name, (facts) => facts !== null)).toMatchObject({ branch: `fleet/${name}` });
      expect(tip(`fleet/${name}`)).toBe(tip('older'));
    }
    expect((await agentOf(ask, 'by-tag')).git?.base).toBe('v1');
    expect(tip(`fleet/${plain.name}`)).toBe(tip('main'));
    expect(tip('main')).not.toBe(tip('older'));
  });

  it('is the existing one that was asked for, and no other is made [OP-create_agent-branch]', async () => {
    const before = branches();
    await idleAgent(ask, 'on-feature', {
      role: 'shell',
      branch: 'feature',
      task: `echo more > more.txt; git add .; ${COMMIT} -m more`,
    });
    expect(await gitOf('on-feature', (facts) => facts !== null)).toMatchObject({ branch: 'feature' });
    expect(branches()).toEqual(before);
    expect(git('show', 'feature:more.txt')).toBe('more\n');
    await ask('delete_agent', { agent_name: 'on-feature' });
    expect(branches()).toEqual(before);
    expect(git('show', 'feature:more.txt')).toBe('more\n');
  });

  it('cannot be one that another worktree has [OP-create_agent-branch-taken]', async () => {
    await idleAgent(ask, 'holder', SHELL);
    const names = (await agentsOf(ask)).map(({ name }) => name);
    const inMain = await failure(ask('create_agent', { project: 'Setup', ...SHELL, branch: 'main' }));
    expect(inMain.code).toBe('CONFLICT');
    expect(inMain.details.field).toBe('branch');
    const inAgent = await failure(
      ask('create_agent', { project: 'Setup', ...SHELL, branch: 'fleet/holder' }),
    );
    expect(inAgent.code).toBe('CONFLICT');
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(names);
  });
});

describe('a branch that an agent was given', () => {
  it('is not given to another one, also before it is checked out', async () => {
    git('branch', 'wanted');
    await ask('create_agent', { project: 'Setup', ...SHELL, name: 'winner', branch: 'wanted' });
    const error = await failure(
      ask('create_agent', { project: 'Setup', ...SHELL, name: 'loser', branch: 'wanted' }),
    );
    expect(error.code).toBe('CONFLICT');
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('loser');
  });
});

describe('the git facts of an agent', () => {
  it('are what git itself says of the worktree, and null without one [AGENT-git]', async () => {
    const agent = await idleAgent(ask, 'counted', SHELL);
    commitTo('main', 'moved-on.txt');
    commitTo('main', 'moved-further.txt');
    await run(
      `printf 'a\\nb\\n' > added.txt; git add .; ${COMMIT} -m 'one thing';
       printf '# changed\\n' > README.md; echo new > untracked.txt`,
    );
    const worktree = join(fleet.home, 'worktrees', agent.workspace_id);
    const inTree = (...args: string[]): string =>
      execFileSync('git', ['-C', worktree, ...args], { encoding: 'utf8' });
    const [behind, ahead] = inTree('rev-list', '--left-right', '--count', 'main...HEAD')
      .split(/\s+/)
      .map(Number);
    const shown = await gitOf('counted', (facts) => facts?.dirty === true);
    expect(shown).toEqual({
      branch: inTree('branch', '--show-current').trim(),
      base: 'main',
      ahead,
      behind,
      changed_files: 3,
      insertions: 3,
      deletions: 1,
      dirty: inTree('status', '--porcelain') !== '',
      last_commit: inTree('log', '-1', '--format=%h %s').trim(),
    });
    expect(shown).toMatchObject({ branch: 'fleet/counted', ahead: 1, behind: 2, dirty: true });
    expect(shown?.last_commit).toMatch(/one thing$/);
    expect((await agentsOf(ask)).find(({ name }) => name === 'counted')?.git).toEqual(shown);

    await run('git checkout --quiet README.md; rm untracked.txt');
    expect(await gitOf('counted', (facts) => facts?.dirty === false)).toMatchObject({
      changed_files: 1,
      insertions: 2,
      deletions: 0,
      dirty: false,
    });

    rmSync(worktree, { recursive: true });
    await run('true');
    expect(await gitOf('counted', (facts) => facts === null)).toBeNull();
  });
});

async function run(task_description: string): Promise<void> {
  await ask('start_agent_task', { agent_name: 'counted', task_description });
  await waitIdle(ask, 'counted');
}

/** The facts are looked at right after the end of a task. */
async function gitOf(name: string, holds: (facts: AgentView['git']) => boolean): Promise<AgentView['git']> {
  return until(async () => (await agentOf(ask, name)).git, holds);
}

function git(...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', fleet.repository, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args],
    { encoding: 'utf8' },
  );
}

function tip(branch: string): string {
  return git('rev-parse', `${branch}^{commit}`).trim();
}

function branches(): string[] {
  return git('branch', '--format=%(refname)').trim().split('\n');
}

/** A commit on a branch that is made when it is not there; main stays checked out. */
function commitTo(branch: string, file: string): void {
  if (branch !== 'main') git('checkout', '--quiet', '-b', branch);
  writeFileSync(join(fleet.repository, file), 'text\n');
  git('add', '.');
  git('commit', '--quiet', '-m', `add ${file}`);
  if (branch !== 'main') git('checkout', '--quiet', 'main');
}
