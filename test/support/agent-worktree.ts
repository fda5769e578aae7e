import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { keepWork, type KeptWork, type WorkOf } from '../../src/backends/local/keep-work.ts';
import { removeWorktree } from '../../src/backends/local/remove-worktree.ts';

/** A worktree as an agent has it, in a repository of its own. */
export interface AgentWorktree extends Disposable {
  readonly root: string;
  readonly repository: string;
  readonly directory: string;
  readonly work: WorkOf;
  /** What is in the way of the branch names: `fleet-kept/sony/<id>`. */
  readonly main: string;
  /** A shell in the worktree, as the agent has it. */
  agent(script: string, env?: Readonly<Record<string, string>>): string;
  git(...args: string[]): string;
  /** Keeps and removes; the ends of the names of the branches. */
  delete(): Promise<KeptWork & { readonly ends: readonly string[] }>;
  /** A file as a kept branch has it. */
  show(end: string, path: string): string;
  names(end: string): readonly string[];
}

export interface AgentWorktreeOptions {
  readonly format?: 'sha1' | 'sha256';
  readonly keep?: readonly string[];
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Agent',
  GIT_AUTHOR_EMAIL: 'agent@localhost',
  GIT_COMMITTER_NAME: 'Agent',
  GIT_COMMITTER_EMAIL: 'agent@localhost',
  GIT_CONFIG_NOSYSTEM: '1',
};

export function agentWorktree({ format = 'sha1', keep = [] }: AgentWorktreeOptions = {}): AgentWorktree {
  const root = mkdtempSync(join(tmpdir(), 'fleet-worktree-'));
  const repository = join(root, 'repository');
  const scratch = join(root, 'state');
  const workspace_id = randomUUID();
  const directory = join(root, 'worktrees', workspace_id);
  const env = { PATH: process.env['PATH'], HOME: join(root, 'home'), ...IDENTITY };
  for (const each of [repository, scratch, join(root, 'worktrees'), env.HOME])
    mkdirSync(each, { recursive: true });
  const git = (...args: string[]): string =>
    execFileSync('git', ['-C', repository, ...args], { encoding: 'utf8', env, stdio: 'pipe' });
  git('init', '--quiet', '--initial-branch=main', `--object-format=${format}`);
  writeFileSync(join(repository, 'file.txt'), 'first\n');
  writeFileSync(join(repository, 'other.txt'), 'other\n');
  writeFileSync(join(repository, '.gitignore'), 'build/\n*.log\n.env\nnotes/\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  git('worktree', 'add', '--quiet', '--no-track', '-b', 'fleet/sony', directory, 'main');
  const main = `fleet-kept/sony/${workspace_id}`;
  const work: WorkOf = {
    plan: {
      repository,
      directory,
      base_commit: git('rev-parse', 'main').trim(),
      base_name: 'main',
      branch: 'fleet/sony',
      own_branch: true,
      setup: null,
      copy: [],
      keep,
    },
    agent_name: 'sony',
    workspace_id,
    created_at: new Date(Date.now() - 5_000).toISOString(),
    branch: 'fleet/sony',
    scratch,
  };
  return {
    root,
    repository,
    directory,
    work,
    main,
    agent: (script, more = {}) =>
      execFileSync('sh', ['-ec', script], {
        cwd: directory,
        encoding: 'utf8',
        env: { ...env, ...more },
        stdio: 'pipe',
      }),
    git,
    delete: async () => {
      const kept = await keepWork(work);
      await removeWorktree(work);
      return { ...kept, ends: kept.branches.map((branch) => branch.slice(main.length)) };
    },
    show: (end, path) => git('show', `${main}${end}:${path}`),
    names: (end) =>
      git('ls-tree', '-r', '-z', '--name-only', `${main}${end}`)
        .split('\0')
        .filter((name) => name !== ''),
    [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }),
  };
}
