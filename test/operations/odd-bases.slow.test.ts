import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { idleAgent, failure, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const ODD = ['Deleted', 'Detached', 'Tagged', 'Shallow', 'Gone', 'Roots'] as const;

const it = fleetTest(() => {
  const place = localFleet((config) => {
    Object.assign(config.projects['DataOne'] ?? {}, { default_role: 'shell' });
  });
  const source = join(place.directory, 'data-one');
  sh(source, 'for n in 1 2 3; do echo $n > shared.txt; git add .; git commit -qm $n; done');
  for (const name of ODD) {
    const repository = join(place.directory, name);
    sh(
      place.directory,
      `git clone -q ${name === 'Shallow' ? '--depth 1' : ''} 'file://${source}' '${repository}'; cd '${repository}'; git config user.name T; git config user.email t@localhost`,
    );
    place.configure((config) => {
      const checks = { whole: 'test -f shared.txt' };
      config.projects[name] = { repository, default_role: 'shell', checks };
    });
  }
  sh(join(place.directory, 'Detached'), 'git checkout -q --detach');
  sh(join(place.directory, 'Tagged'), 'git tag main HEAD~2');
  sh(
    join(place.directory, 'Roots'),
    'git checkout -q --orphan two; git commit -qm two; git checkout -q main; git merge -q --no-edit --allow-unrelated-histories -s ours two',
  );
  sh(join(place.directory, 'Deleted'), 'git checkout -q -b work');
  return place;
});

function sh(directory: string, script: string): string {
  const identity = '-c user.name=T -c user.email=t@localhost';
  return execFileSync('sh', ['-ec', `git() { command git ${identity} "$@"; }\n${script}`], {
    cwd: directory,
    encoding: 'utf8',
    stdio: 'pipe',
  });
}

const commit = (text: string): string =>
  `echo '${text}' > shared.txt; git add .; git -c user.name=A -c user.email=a@localhost commit -qm '${text}'`;

const repositoryOf = (fleet: LocalFleet, name: string): string => join(fleet.directory, name);
const worker = (ask: Ask, name: string, project: string) =>
  idleAgent(ask, name, { project, role: 'shell', task: commit(name) });

describe('a project', () => {
  it('with a base that is odd leaves the conflicts of the others to be seen', async ({ fleet, ask }) => {
    await worker(ask, 'ada', 'DataOne');
    await worker(ask, 'kay', 'DataOne');
    for (const name of ODD) await worker(ask, name.toLowerCase(), name);
    await worker(ask, 'tagged-two', 'Tagged');
    // These two have a commit in common with their base, and none with each other.
    for (const root of [1, 2])
      await idleAgent(ask, `root-${root}`, {
        project: 'Roots',
        role: 'shell',
        task: `git reset -q --hard HEAD^${root}; ${commit(`${root}`)}`,
      });
    await worker(ask, 'roots-two', 'Roots');
    sh(repositoryOf(fleet, 'Deleted'), 'git checkout -q main; git branch -D work');
    sh(repositoryOf(fleet, 'Gone'), 'rm -rf .git');
    const { conflicts, left_out } = await ask('list_conflicts');
    expect(conflicts).toEqual(
      expect.arrayContaining([
        { agent: 'ada', other: 'kay', paths: ['shared.txt'] },
        { agent: 'roots', other: 'roots-two', paths: ['shared.txt'] },
        { agent: 'tagged', other: 'tagged-two', paths: ['shared.txt'] },
      ]),
    );
    expect([...(left_out as string[])].toSorted()).toEqual(['deleted', 'detached', 'gone']);
    for (const name of ODD.filter((each) => each !== 'Gone'))
      expect(await ask('start_forecast', { project: name })).toMatchObject({ state: 'done' });
  });

  it('with a tag of the name of its base starts from the branch, and lands on it', async ({ fleet, ask }) => {
    const repository = repositoryOf(fleet, 'Tagged');
    const main = sh(repository, 'git rev-parse refs/heads/main').trim();
    expect(await ask('land_agent', { agent_name: 'tagged' })).toMatchObject({ into: 'main', before: main });
    await idleAgent(ask, 'named', { project: 'Tagged', role: 'shell', base: 'main', task: commit('named') });
    expect(
      await ask('land_agent', { agent_name: 'named', strategy: 'rebase' }).catch((e: unknown) => e),
    ).toMatchObject({ into: 'main' });
    expect(sh(repository, 'git show refs/heads/main:shared.txt')).toBe('named\n');
  });

  it('with a detached checkout lands where the caller says', async ({ fleet, ask }) => {
    expect(await failure(ask('land_agent', { agent_name: 'detached' }))).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'into' },
    });
    expect(await ask('land_agent', { agent_name: 'detached', into: 'main' })).toMatchObject({ into: 'main' });
    expect(sh(repositoryOf(fleet, 'Detached'), 'git status --short; git show main:shared.txt')).toBe(
      'detached\n',
    );
  });

  it('that is shallow has checkpoints, diffs, updates, forks and landings', async ({ fleet, ask }) => {
    const repository = repositoryOf(fleet, 'Shallow');
    expect(await ask('list_checkpoints', { agent_name: 'shallow' })).toMatchObject({ total_count: 1 });
    expect(await ask('show_agent_diff', { agent_name: 'shallow' })).toMatchObject({ total_files: 1 });
    sh(repository, 'echo more > more.txt; git add .; git commit -qm more');
    await ask('update_agent', { agent_name: 'shallow' });
    const { land_id } = await ask('land_agent', { agent_name: 'shallow' });
    expect(sh(repository, 'cat shared.txt; git status --short; git rev-parse --is-shallow-repository')).toBe(
      'shallow\ntrue\n',
    );
    await ask('undo_land', { land_id });
    await ask('land_agent', { agent_name: 'shallow', strategy: 'squash' });
    await ask('fork_agent', { agent_name: 'shallow', name: 'fork', checkpoint: 1, task: commit('fork') });
    expect(sh(repository, 'git fsck --no-dangling 2>&1')).toBe('');
  });
});
