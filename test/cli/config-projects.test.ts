import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { agentPaths } from '../../src/backends/local/paths.ts';
import type { AgentView } from '../../src/domain/agent.ts';
import {
  agentsOf,
  askAs,
  failure,
  idleAgent,
  logOf,
  until,
  agentOf,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleet-under-test.ts';
import { localFleet, makeRepository, type LocalFleet } from '../support/local-fleet.ts';
import { script } from '../support/script.ts';

let fleet: LocalFleet;
let ask: Ask;

beforeAll(() => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
});
afterAll(() => fleet[Symbol.asyncDispose]());

function git(repository: string, ...args: string[]): string {
  const who = ['-c', 'user.name=Test', '-c', 'user.email=test@localhost'];
  return execFileSync('git', ['-C', repository, ...who, ...args], { encoding: 'utf8', stdio: 'pipe' }).trim();
}

function commit(repository: string, message: string): string {
  git(repository, 'commit', '--quiet', '--allow-empty', '--message', message);
  return git(repository, 'rev-parse', 'HEAD');
}

function project(name: string, values: object): void {
  fleet.configure((config) => {
    config.projects[name] = { default_role: 'scripted', ...values };
  });
}

const worktreeOf = ({ workspace_id }: AgentView): string => agentPaths(fleet.home, workspace_id).worktree;

describe('a project of the configuration', () => {
  it('is on this machine unless the configuration says otherwise [CFG-backend-default]', async () => {
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

  it('needs a repository with a commit and a work tree [CFG-repository]', async () => {
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
      project('Bad', { repository: at(name) });
      const error = await failure(ask('create_agent', { project: 'Bad', task: 'x', name: 'never' }));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toContain(JSON.stringify(at(name)));
      expect(error.message).toContain(problem);
    }
    expect(await agentsOf(ask)).toEqual([]);
    expect(readdirSync(at('plain'))).toEqual([]);
  });

  it('starts its agents from its base, or from HEAD as it is then [CFG-base]', async () => {
    const repository = makeRepository(join(fleet.directory, 'based'));
    const first = git(repository, 'rev-parse', 'HEAD');
    git(repository, 'branch', 'develop');
    git(repository, 'switch', '--quiet', '--create', 'feature');
    const second = commit(repository, 'second');
    project('Based', { repository, base: 'develop' });
    project('Baseless', { repository });
    const [based, atHead] = await Promise.all([
      idleAgent(ask, 'based', { project: 'Based' }),
      idleAgent(ask, 'at-head', { project: 'Baseless' }),
    ]);
    expect(git(worktreeOf(based), 'rev-parse', 'HEAD')).toBe(first);
    expect(based.git).toMatchObject({ base: 'develop' });
    expect(git(worktreeOf(atHead), 'rev-parse', 'HEAD')).toBe(second);
    const third = commit(repository, 'third');
    const later = await idleAgent(ask, 'later', { project: 'Baseless' });
    expect(git(worktreeOf(later), 'rev-parse', 'HEAD')).toBe(third);
    expect(git(worktreeOf(atHead), 'rev-parse', 'HEAD')).toBe(second);
  });

  it('runs its set-up once in a new worktree, before the agent, and logs it [CFG-setup]', async () => {
    const [began, go] = [join(fleet.directory, 'set-up-began'), join(fleet.directory, 'set-up-go')];
    const setup = `pwd >> ${began}; echo out of set-up; echo oops >&2; echo made > made.txt; while [ ! -e ${go} ]; do sleep 0.02; done`;
    project('WithSetup', { repository: fleet.repository, setup });
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
    expect(readFileSync(began, 'utf8')).toBe(`${worktreeOf(await agentOf(ask, 'set-up'))}\n`);
  });

  it('has files that git does not track copied into a new worktree [CFG-copy]', async () => {
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
    project('Copied', { repository, copy: ['.env', 'conf', 'missing.txt'] });
    const agent = await idleAgent(ask, 'copied', { project: 'Copied', task: script({ say: 'hello' }) });
    const inWorktree = (name: string): string => readFileSync(join(worktreeOf(agent), name), 'utf8');
    expect(inWorktree('.env')).toBe('SECRET=1\n');
    expect(inWorktree('conf/local.json')).toBe('{}\n');
    expect(inWorktree('conf/other.json')).toBe('[]\n');
    expect(readdirSync(worktreeOf(agent))).not.toContain('left.txt');
    const warnings = (await logOf(ask, 'copied')).filter((row: Answer) => row['level'] === 'WARN');
    expect(warnings.map((row) => row['message'])).toEqual([expect.stringContaining('missing.txt')]);
  });
});
