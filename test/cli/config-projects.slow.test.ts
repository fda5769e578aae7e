import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import type { AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentsOf,
  failure,
  idleAgent,
  logOf,
  until,
  agentOf,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { makeRepository, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';

const it = fleetTest();

function git(repository: string, ...args: string[]): string {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', ['-C', repository, ...who, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commit(repository: string, message: string): string {
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(repository, 'rev-parse', 'HEAD');
}

function project(fleet: LocalFleet, name: string, values: object): void {
  fleet.configure((config) => {
    config.projects[name] = { default_role: 'scripted', ...values };
  });
}

const workspaceOf = (fleet: LocalFleet, { workspace_id }: AgentView): string =>
  agentPaths(fleet.home, workspace_id).workspace;

describe('a project of the configuration', () => {
  it('is on this machine unless the configuration says otherwise [CFG-backend-default]', async ({
    fleet,
    ask,
  }) => {
    fleet.configure((config) => {
      config['backends'] = { work: { type: 'coder', url: 'https://coder.example.com', token_env: 'TOKEN' } };
      config.projects['Elsewhere'] = { repository: fleet.repository, backend: 'work' };
    });
    const { projects } = await ask('list_agent_projects');
    expect(projects).toMatchObject([
      { name: 'Setup', backend: 'local' },
      { name: 'DataOne', backend: 'local' },
    ]);
    fleet.configure((config) => {
      config['backend'] = 'work';
      config.projects['Setup'] = { ...config.projects['Setup'], backend: 'local' };
    });
    expect((await ask('list_agent_projects'))['projects']).toMatchObject([{ name: 'Setup' }]);
    fleet.configure((config) => {
      delete config['backend'];
      delete config['backends'];
      delete config.projects['Elsewhere'];
    });
  });

  it('needs a repository with a commit and a work tree [CFG-repository]', async ({ fleet, ask }) => {
    const at = (name: string): string => join(fleet.directory, name);
    mkdirSync(at('plain'));
    execFileSync('git', ['init', '--quiet', at('empty')]);
    execFileSync('git', ['clone', '--quiet', '--bare', fleet.repository, at('bare')]);
    const problems = {
      plain: 'is not a git repository',
      empty: 'has no commit',
      bare: 'is a bare repository',
    };
    for (const [name, problem] of Object.entries(problems)) {
      project(fleet, 'Bad', { repository: at(name) });
      const error = await failure(ask('create_agent', { project: 'Bad', task: 'x', name: 'never' }));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toContain(JSON.stringify(at(name)));
      expect(error.message).toContain(problem);
    }
    expect(await agentsOf(ask)).toEqual([]);
    expect(readdirSync(at('plain'))).toEqual([]);
  });

  it('starts its agents from its base, or from HEAD as it is then [CFG-base]', async ({ fleet, ask }) => {
    const repository = makeRepository(join(fleet.directory, 'based'));
    const first = git(repository, 'rev-parse', 'HEAD');
    git(repository, 'branch', 'develop');
    git(repository, 'switch', '--quiet', '--create', 'feature');
    const second = commit(repository, 'second');
    project(fleet, 'Based', { repository, base: 'develop' });
    project(fleet, 'Baseless', { repository });
    const [based, atHead] = await Promise.all([
      idleAgent(ask, 'based', { project: 'Based' }),
      idleAgent(ask, 'at-head', { project: 'Baseless' }),
    ]);
    expect(git(workspaceOf(fleet, based), 'rev-parse', 'HEAD')).toBe(first);
    expect(based.git).toMatchObject({ base: 'develop' });
    expect(git(workspaceOf(fleet, atHead), 'rev-parse', 'HEAD')).toBe(second);
    const third = commit(repository, 'third');
    const later = await idleAgent(ask, 'later', { project: 'Baseless' });
    expect(git(workspaceOf(fleet, later), 'rev-parse', 'HEAD')).toBe(third);
    expect(git(workspaceOf(fleet, atHead), 'rev-parse', 'HEAD')).toBe(second);
  });

  it('runs its set-up once in a new worktree, before the agent, and logs it [CFG-setup]', async ({
    fleet,
    ask,
  }) => {
    const [began, go] = [join(fleet.directory, 'set-up-began'), join(fleet.directory, 'set-up-go')];
    const setup = `pwd >> ${began}; echo out of set-up; echo oops >&2; echo made > made.txt; while [ ! -e ${go} ]; do sleep 0.02; done`;
    project(fleet, 'WithSetup', { repository: fleet.repository, setup });
    await ask('create_agent', {
      project: 'WithSetup',
      name: 'set-up',
      role: 'shell',
      task: 'cat made.txt',
    });
    await until(
      () => agentOf(ask, 'set-up'),
      ({ status }) => status === 'starting',
    );
    await until(async () => readdirSync(fleet.directory).includes('set-up-began'), Boolean);
    expect((await logOf(ask, 'set-up')).map((row) => row['message'])).not.toContain('made');
    writeFileSync(go, '');
    await waitIdle(ask, 'set-up');
    const log = (await logOf(ask, 'set-up')).toReversed();
    const at = (message: string): number => log.findIndex((row) => row['message'] === message);
    expect(log[at('out of set-up')]).toMatchObject({ level: 'INFO' });
    expect(log[at('oops')]).toMatchObject({ level: 'WARN' });
    expect(at('made')).toBeGreaterThan(at('out of set-up'));
    await ask('start_agent_task', { agent_name: 'set-up', task_description: 'true' });
    await waitIdle(ask, 'set-up');
    await ask('restart_agent', { agent_name: 'set-up' });
    await waitIdle(ask, 'set-up');
    expect(readFileSync(began, 'utf8')).toBe(`${workspaceOf(fleet, await agentOf(ask, 'set-up'))}\n`);
  });

  it('has files that git does not track copied into a new worktree [CFG-copy]', async ({ fleet, ask }) => {
    const repository = makeRepository(join(fleet.directory, 'copied'));
    mkdirSync(join(repository, 'conf'));
    const files = {
      '.env': 'SECRET=1\n',
      'conf/local.json': '{}\n',
      'conf/other.json': '[]\n',
      'left.txt': '-',
    };
    writeFileSync(join(repository, '.gitignore'), Object.keys(files).join('\n'));
    for (const [name, text] of Object.entries(files)) writeFileSync(join(repository, name), text);
    git(repository, 'add', '.gitignore');
    commit(repository, 'ignore');
    project(fleet, 'Copied', { repository, copy: ['.env', 'conf', 'missing.txt'] });
    const agent = await idleAgent(ask, 'copied', { project: 'Copied', task: script({ say: 'hello' }) });
    const inWorkspace = (name: string): string => readFileSync(join(workspaceOf(fleet, agent), name), 'utf8');
    expect(inWorkspace('.env')).toBe('SECRET=1\n');
    expect(inWorkspace('conf/local.json')).toBe('{}\n');
    expect(inWorkspace('conf/other.json')).toBe('[]\n');
    expect(readdirSync(workspaceOf(fleet, agent))).not.toContain('left.txt');
    const warnings = (await logOf(ask, 'copied')).filter((row: Answer) => row['level'] === 'WARN');
    expect(warnings.map((row) => row['message'])).toEqual([expect.stringContaining('missing.txt')]);
  });

  it('copies nothing through a symbolic link of the workspace', async ({ fleet, ask }) => {
    const repository = makeRepository(join(fleet.directory, 'linked'));
    const outside = join(fleet.directory, 'outside');
    mkdirSync(outside);
    symlinkSync(outside, join(repository, 'conf'));
    git(repository, 'add', 'conf');
    commit(repository, 'a link');
    rmSync(join(repository, 'conf'));
    mkdirSync(join(repository, 'conf'));
    writeFileSync(join(repository, 'conf', '.env'), 'SECRET=1\n');
    project(fleet, 'Linked', { repository, copy: ['conf/.env'] });
    await idleAgent(ask, 'linked', { project: 'Linked', task: script({ say: 'hello' }) });
    expect(readdirSync(outside)).toEqual([]);
    expect((await logOf(ask, 'linked')).map((row: Answer) => row['message'])).toContainEqual(
      'conf/.env is not copied: conf is a symbolic link in the workspace',
    );
  });

  it('copies a directory, and nothing through links in it', async ({ fleet, ask }) => {
    const repository = makeRepository(join(fleet.directory, 'deep'));
    const outside = join(fleet.directory, 'beyond');
    for (const path of [outside, join(repository, 'conf')]) mkdirSync(path);
    writeFileSync(join(outside, 'file'), 'theirs\n');
    symlinkSync(outside, join(repository, 'conf', 'sub'));
    symlinkSync(join(outside, 'file'), join(repository, 'conf', '.env'));
    git(repository, 'add', 'conf');
    commit(repository, 'links in a directory');
    rmSync(join(repository, 'conf'), { recursive: true });
    mkdirSync(join(repository, 'conf', 'sub'), { recursive: true });
    for (const file of ['.env', 'plain', 'sub/deep']) writeFileSync(join(repository, 'conf', file), 'mine\n');
    project(fleet, 'Deep', { repository, copy: ['conf'] });
    await idleAgent(ask, 'deep', { project: 'Deep', role: 'shell', task: 'cat conf/plain' });
    expect(readdirSync(outside)).toEqual(['file']);
    expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('theirs\n');
    const lines = (await logOf(ask, 'deep')).map((row: Answer) => row['message']);
    expect(lines).toContain('mine');
    expect(lines).toContain('conf/sub is not copied: conf/sub is a symbolic link in the workspace');
  });
});
