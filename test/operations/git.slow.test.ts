import { execFileSync } from 'node:child_process';
import { rmSync, writeFileSync } from 'node:fs';
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

const SHELL = { role: 'shell', task: 'true' };
const COMMIT = 'git -c user.name=A -c user.email=a@localhost commit --quiet';

const it = fleetTest();
it.beforeAll(({ fleet }) => {
  commitTo(fleet, 'older', 'older.txt');
  git(fleet, 'tag', 'v1', 'older');
  git(fleet, 'branch', 'feature');
});

describe('the branch of an agent', () => {
  it('starts from the base that was asked for [OP-create_agent-base]', async ({ fleet, ask }) => {
    const [byTag, byBranch, byCommit, plain] = await Promise.all([
      idleAgent(ask, 'by-tag', { ...SHELL, base: 'v1' }),
      idleAgent(ask, 'by-branch', { ...SHELL, base: 'older' }),
      idleAgent(ask, 'by-commit', { ...SHELL, base: tip(fleet, 'older').slice(0, 10) }),
      idleAgent(ask, 'plain', SHELL),
    ]);
    for (const { name } of [byTag, byBranch, byCommit]) {
      expect(await gitOf(ask, name, (facts) => facts !== null)).toMatchObject({ branch: `fleet/${name}` });
      expect(tip(fleet, `fleet/${name}`)).toBe(tip(fleet, 'older'));
    }
    expect((await agentOf(ask, 'by-tag')).git?.base).toBe('v1');
    expect(tip(fleet, `fleet/${plain.name}`)).toBe(tip(fleet, 'main'));
    expect(tip(fleet, 'main')).not.toBe(tip(fleet, 'older'));
  });

  it('starts from the existing one that was asked for, which stays as it is [OP-create_agent-branch]', async ({
    fleet,
    ask,
  }) => {
    git(fleet, 'update-ref', 'refs/remotes/origin/theirs', 'older');
    const before = branches(fleet);
    const more = `echo more > more.txt; git add .; ${COMMIT} -m more`;
    await Promise.all([
      idleAgent(ask, 'on-feature', { role: 'shell', branch: 'feature', task: more }),
      idleAgent(ask, 'on-main', { role: 'shell', branch: 'main', task: more }),
      idleAgent(ask, 'on-theirs', { role: 'shell', branch: 'theirs', task: more }),
    ]);
    for (const [name, from] of [
      ['on-feature', 'feature'],
      ['on-main', 'main'],
      ['on-theirs', 'refs/remotes/origin/theirs'],
    ] as const) {
      expect(await gitOf(ask, name, (facts) => facts !== null)).toMatchObject({
        branch: `fleet/${name}`,
        ahead: 1,
      });
      expect(tip(fleet, `fleet/${name}^`)).toBe(tip(fleet, from));
      expect(git(fleet, 'show', `fleet/${name}:more.txt`)).toBe('more\n');
    }
    expect(branches(fleet)).toEqual(before);
    await idleAgent(ask, 'next', { ...SHELL, branch: 'fleet/on-feature' });
    expect(tip(fleet, 'fleet/next')).toBe(tip(fleet, 'fleet/on-feature'));
    await ask('delete_agent', { agent_name: 'on-feature' });
    expect(tip(fleet, 'feature')).toBe(tip(fleet, 'fleet/next^'));
  });

  it('cannot start from one that neither the repository nor a remote has', async ({ ask }) => {
    const names = (await agentsOf(ask)).map(({ name }) => name);
    const error = await failure(ask('create_agent', { project: 'Setup', ...SHELL, branch: 'nowhere' }));
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'branch' } });
    expect((await agentsOf(ask)).map(({ name }) => name)).toEqual(names);
  });
});

describe('the git facts of an agent', () => {
  it('are what git itself says of the workspace, and null without one [AGENT-git]', async ({
    fleet,
    ask,
  }) => {
    const agent = await idleAgent(ask, 'counted', SHELL);
    commitTo(fleet, 'main', 'moved-on.txt');
    commitTo(fleet, 'main', 'moved-further.txt');
    await run(
      ask,
      `printf 'a\\nb\\n' > added.txt; git add .; ${COMMIT} -m 'one thing';
       printf '# changed\\n' > README.md; echo new > untracked.txt`,
    );
    const workspace = join(fleet.home, 'agents', agent.workspace_id, 'work');
    const inTree = (...args: string[]): string =>
      execFileSync('git', ['-C', workspace, ...args], { encoding: 'utf8' });
    const [behind, ahead] = git(fleet, 'rev-list', '--left-right', '--count', 'main...fleet/counted')
      .split(/\s+/)
      .map(Number);
    const shown = await gitOf(ask, 'counted', (facts) => facts?.dirty === true);
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
      as_of: expect.stringMatching(/Z$/),
    });
    expect(shown).toMatchObject({ branch: 'fleet/counted', ahead: 1, behind: 2, dirty: true });
    expect(shown?.last_commit).toMatch(/one thing$/);
    const listed = (await agentsOf(ask)).find(({ name }) => name === 'counted')?.git;
    expect(listed).toEqual({ ...shown, as_of: expect.stringMatching(/Z$/) });

    await run(ask, 'git checkout --quiet README.md; rm untracked.txt');
    expect(await gitOf(ask, 'counted', (facts) => facts?.dirty === false)).toMatchObject({
      changed_files: 1,
      insertions: 2,
      deletions: 0,
      dirty: false,
    });

    rmSync(workspace, { recursive: true });
    await run(ask, 'true');
    expect(await gitOf(ask, 'counted', (facts) => facts === null)).toBeNull();
  });
});

describe('the git facts of an agent that works', () => {
  it('count files that git does not know when somebody looks, before the task ends [AGENT-git-running]', async ({
    fleet,
    ask,
  }) => {
    const { workspace_id } = await idleAgent(ask, 'worker', SHELL);
    const before = await agentOf(ask, 'worker');
    const go = join(fleet.directory, 'go-worker');
    await ask('start_agent_task', {
      agent_name: 'worker',
      task_description: `mkdir new; touch new/one new/two three; while [ ! -e '${go}' ]; do sleep 0.02; done`,
    });
    const shown = await until(
      () => agentOf(ask, 'worker'),
      ({ git: facts }) => facts?.changed_files === 3,
    );
    expect(shown).toMatchObject({ status: 'busy', git: { dirty: true, ahead: 0 } });
    expect(Date.parse(shown.git?.as_of ?? '')).toBeGreaterThan(Date.parse(before.git?.as_of ?? ''));
    const listed = (await agentsOf(ask)).find((agent) => agent.workspace_id === workspace_id);
    expect(listed?.git).toMatchObject({ changed_files: 3 });
    writeFileSync(go, '');
    await waitIdle(ask, 'worker');
  });
});

describe('a look at an agent', () => {
  it('shows the git facts of that look, and not those of the one before', async ({ fleet, ask }) => {
    const { workspace_id } = await idleAgent(ask, 'looked-at', SHELL);
    writeFileSync(join(fleet.home, 'agents', workspace_id, 'work', 'new.txt'), '');
    const listed = async (): Promise<string> =>
      (await agentsOf(ask)).find(({ name }) => name === 'looked-at')?.git?.as_of ?? '';
    await until(
      async () => ({ before: await listed(), shown: (await agentOf(ask, 'looked-at')).git }),
      ({ before, shown }) => (shown?.as_of ?? '') > before && shown?.changed_files === 1,
    );
  });
});

async function run(ask: Ask, task_description: string): Promise<void> {
  await ask('start_agent_task', { agent_name: 'counted', task_description });
  await waitIdle(ask, 'counted');
}

/** The facts are looked at right after the end of a task. */
async function gitOf(
  ask: Ask,
  name: string,
  holds: (facts: AgentView['git']) => boolean,
): Promise<AgentView['git']> {
  return until(async () => (await agentOf(ask, name)).git, holds);
}

function git(fleet: LocalFleet, ...args: string[]): string {
  return execFileSync(
    'git',
    ['-C', fleet.repository, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args],
    { encoding: 'utf8' },
  );
}

function tip(fleet: LocalFleet, branch: string): string {
  return git(fleet, 'rev-parse', `${branch}^{commit}`).trim();
}

function branches(fleet: LocalFleet): string[] {
  return git(fleet, 'branch', '--format=%(refname)').trim().split('\n');
}

/** A commit on a branch that is made when it is not there; main stays checked out. */
function commitTo(fleet: LocalFleet, branch: string, file: string): void {
  if (branch !== 'main') git(fleet, 'checkout', '--quiet', '-b', branch);
  writeFileSync(join(fleet.repository, file), 'text\n');
  git(fleet, 'add', '.');
  git(fleet, 'commit', '--quiet', '-m', `add ${file}`);
  if (branch !== 'main') git(fleet, 'checkout', '--quiet', 'main');
}
