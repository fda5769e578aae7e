import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agentRepository, type WorkOf } from '../../../src/backends/local/workspace/agent-work-of.ts';
import { keepWork, type KeptWork } from '../../../src/backends/local/kept/keep-work.ts';
import { agentPaths } from '../../../src/backends/local/records/paths.ts';
import { planWorkspace } from '../../../src/backends/local/workspace/plan-workspace.ts';
import type { AgentRepository } from '../../../src/backends/local/repository/agent-repository.ts';
import { makeClone } from '../../../src/backends/local/repository/make-clone.ts';
import { withdraw } from '../../../src/backends/local/kept/withdraw.ts';
import { removeTree } from '../../../src/platform/remove-tree.ts';

/** A repository as an agent has it, of a project of its own. */
export interface AgentClone extends Disposable {
  readonly root: string;
  readonly home: string;
  /** The project's. */
  readonly repository: string;
  /** The agent's. */
  readonly directory: string;
  readonly work: WorkOf;
  readonly reader: AgentRepository;
  /** The branch on which its work is kept. */
  readonly kept: string;
  /** A shell in the workspace, as the agent has it. */
  agent(script: string, env?: Readonly<Record<string, string>>): string;
  /** In the project's repository. */
  git(...args: string[]): string;
  delete(): Promise<KeptWork>;
}

export interface AgentCloneOptions {
  readonly format?: 'sha1' | 'sha256';
  readonly base?: string;
  readonly branch?: string;
  readonly pull_request_url?: string;
  /** What the user has done in the repository before. */
  readonly before?: string;
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@localhost',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@localhost',
  GIT_CONFIG_NOSYSTEM: '1',
};

/** Makes a directory the home of the user, for settings that are theirs. */
function asHome(directory: string): Disposable {
  const { HOME, XDG_CONFIG_HOME } = process.env;
  process.env['HOME'] = directory;
  delete process.env['XDG_CONFIG_HOME'];
  return {
    [Symbol.dispose]: () => {
      process.env['HOME'] = HOME;
      if (XDG_CONFIG_HOME !== undefined) process.env['XDG_CONFIG_HOME'] = XDG_CONFIG_HOME;
    },
  };
}

export async function agentClone(options: AgentCloneOptions = {}): Promise<AgentClone> {
  const root = mkdtempSync(join(tmpdir(), 'fleet-clone-'));
  const repository = join(root, 'repository');
  const home = join(root, 'fleet');
  const workspace_id = randomUUID();
  const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), ...IDENTITY };
  for (const each of [repository, home, env.HOME]) mkdirSync(each, { recursive: true });
  const sh = (directory: string, script: string, more = {}): string =>
    execFileSync('sh', ['-ec', script], {
      cwd: directory,
      encoding: 'utf8',
      env: { ...env, ...more },
      stdio: 'pipe',
    });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', env, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main', `--object-format=${options.format ?? 'sha1'}`);
  writeFileSync(join(repository, 'file.txt'), 'first\n');
  writeFileSync(join(repository, 'other.txt'), 'other\n');
  writeFileSync(join(repository, '.gitignore'), 'build/\n*.log\n.env\nnotes/\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  if (options.before !== undefined) sh(repository, options.before);
  const paths = agentPaths(home, workspace_id);
  using _home = asHome(env.HOME);
  mkdirSync(paths.directory, { recursive: true });
  const plan = await planWorkspace({
    repository,
    directory: paths.workspace,
    agent_name: 'sony',
    workspace_id,
    base: options.base,
    branch: options.branch,
    pull_request_url: options.pull_request_url,
    setup: null,
    copy: [],
    remote_name: 'fleet',
  });
  if (plan.clone === undefined) throw new Error('an agent has a repository of its own');
  const request = { plan, clone: plan.clone, workspace_id, signs: false, goes_on_from: null };
  await makeClone(request, async () => void sh(paths.workspace, 'git reset --quiet --hard'));
  const work: WorkOf = { home, paths, plan, launch: { name: 'sony', workspace_id, contained: true } };
  return {
    root,
    home,
    repository,
    directory: paths.workspace,
    work,
    reader: await agentRepository(work),
    kept: `fleet-kept/sony/${workspace_id}`,
    agent: (script, more) => sh(paths.workspace, script, more),
    git,
    delete: async () => {
      const kept = await keepWork(work);
      await withdraw(work, false);
      return kept;
    },
    [Symbol.dispose]: () => removeTree(root),
  };
}
