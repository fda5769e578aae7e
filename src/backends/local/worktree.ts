import { cpSync, existsSync, lstatSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { LogLevel } from '../../domain/task.ts';
import type { Cell } from '../../platform/cell.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { runProgram, type Exit } from '../../runner/run-program.ts';
import type { Workspace } from '../../runner/workspace.ts';
import { findWorktree } from './find-worktree.ts';
import { git, gitText } from './git.ts';
import { gitTurn } from './git-turn.ts';
import { GitLook } from './git-look.ts';
import { headOf } from './head-of.ts';
import type { WorktreePlan } from './worktree-plan.ts';

export interface WorktreeOptions {
  readonly plan: WorktreePlan;
  readonly workspace_id: string;
  /** Where the steps that are done are noted, so that a crash repeats only what was not. */
  readonly stateDirectory: string;
  readonly env: Readonly<Record<string, string>>;
  /** What the project's set-up sees of the fleet's own places. */
  readonly cell: Cell | null;
}

type Log = (level: LogLevel, message: string) => void;

/** A git worktree with a branch of its own. */
export function worktree(options: WorktreeOptions): Workspace {
  const { plan } = options;
  const look = new GitLook(plan, options.stateDirectory);
  return {
    directory: plan.directory,
    prepare: async (log, signal) => {
      await once(options, 'worktree', async () => {
        using _turn = await gitTurn(dirname(dirname(options.stateDirectory)), plan.repository);
        return await addWorktree(options, log, signal);
      });
      await once(options, 'copied', async () => copyFiles(plan, log));
      await once(options, 'set-up', () => runSetup(options, log, signal));
      return { branch: await branchOf(plan), base: plan.base_commit };
    },
    git: () => look.facts(),
  };
}

async function once(options: WorktreeOptions, step: string, work: () => Promise<string>): Promise<void> {
  const done = join(options.stateDirectory, `${step}.done`);
  if (existsSync(done) && existsSync(options.plan.directory)) return;
  writeFileAtomic(done, await work());
}

/** The branch that was made for the agent, and for nobody else; undefined when none was. */
export function ownBranch(plan: WorktreePlan, stateDirectory: string): string | undefined {
  const done = join(stateDirectory, 'worktree.done');
  if (!plan.own_branch || !existsSync(done)) return undefined;
  return readFileSync(done, 'utf8');
}

/** Most often the branch is new and nothing is in the way: what may be is looked at only when git refuses. */
async function addWorktree(options: WorktreeOptions, log: Log, signal: AbortSignal): Promise<string> {
  const { plan } = options;
  mkdirSync(dirname(plan.directory), { recursive: true, mode: 0o700 });
  rmSync(plan.directory, { recursive: true, force: true });
  const branch = (await addNew(plan, signal)) ? plan.branch : await addCarefully(options, signal);
  log('INFO', `worktree on branch ${branch} from ${plan.base_name} (${plan.base_commit.slice(0, 12)})`);
  return branch;
}

async function addNew(
  { repository, directory, branch, base_commit, own_branch }: WorktreePlan,
  signal: AbortSignal,
): Promise<boolean> {
  if (!own_branch) return false;
  const args = ['worktree', 'add', '--quiet', '--no-track', '-b', branch, directory, base_commit];
  return (await git(repository, args, { signal })).ok;
}

async function addCarefully({ plan, workspace_id }: WorktreeOptions, signal: AbortSignal): Promise<string> {
  const { repository, directory, base_commit } = plan;
  rmSync(directory, { recursive: true, force: true });
  const { admin } = await findWorktree(plan);
  // Git would also forget worktrees of others that are only away.
  if (admin !== undefined) rmSync(admin, { recursive: true, force: true });
  const branch = plan.own_branch ? await freeBranch(plan, workspace_id) : plan.branch;
  const exists = (await tipOf(repository, branch)) !== undefined;
  const args = exists ? [directory, branch] : ['--no-track', '-b', branch, directory, base_commit];
  await gitText(repository, ['worktree', 'add', '--quiet', ...args], { signal });
  return branch;
}

/** The agent's branch; with its id when somebody else's work is on that name, or it cannot be one. */
async function freeBranch(
  { repository, branch, base_commit }: WorktreePlan,
  workspaceId: string,
): Promise<string> {
  const id = workspaceId.slice(0, 8);
  const parentTaken = (await tipOf(repository, branch.split('/')[0] ?? '')) !== undefined;
  const names = parentTaken ? [`${branch.replace('/', '-')}-${id}`] : [branch, `${branch}-${id}`];
  for (const name of names) {
    const tip = await tipOf(repository, name);
    const worktrees = await git(repository, ['worktree', 'list', '--porcelain', '-z']);
    const inUse = worktrees.stdout.split('\0').includes(`branch refs/heads/${name}`);
    if (tip === undefined || (tip === base_commit && !inUse)) return name;
  }
  throw new Error(`the branches ${names.join(' and ')} are taken in ${repository}: rename or delete one`);
}

async function tipOf(repository: string, branch: string): Promise<string | undefined> {
  const { ok, stdout } = await git(repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}^{commit}`,
  ]);
  return ok ? stdout.trim() : undefined;
}

async function branchOf(plan: WorktreePlan): Promise<string | null> {
  const { branch } = await headOf(await findWorktree(plan), []);
  return branch?.replace('refs/heads/', '') ?? null;
}

function copyFiles({ repository, directory, copy }: WorktreePlan, log: Log): string {
  for (const path of copy) {
    const from = join(repository, path);
    if (lstatSync(from, { throwIfNoEntry: false }) === undefined) {
      log('WARN', `${path} is to be copied, but the repository has none`);
      continue;
    }
    cpSync(from, join(directory, path), { recursive: true, dereference: false });
    log('INFO', `copied ${path}`);
  }
  return copy.join('\n');
}

async function runSetup(
  { plan, workspace_id, env, cell }: WorktreeOptions,
  log: Log,
  signal: AbortSignal,
): Promise<string> {
  if (plan.setup === null) return '';
  log('INFO', `set-up: ${plan.setup.join(' ')}`);
  const exit = await runProgram(
    {
      command: plan.setup,
      directory: plan.directory,
      env,
      marker: workspace_id,
      cell,
      stdin: '',
      onOutput: (line) => log('INFO', line),
      onError: (line) => log('WARN', line),
    },
    signal,
  );
  signal.throwIfAborted();
  const problem = problemOf(exit);
  if (problem !== undefined)
    throw new Error(`the project's set-up (${plan.setup.join(' ')}) ${problem}; see the log`);
  return plan.setup.join(' ');
}

function problemOf(exit: Exit): string | undefined {
  switch (exit.kind) {
    case 'exited':
      return exit.code === 0 ? undefined : `failed with exit code ${exit.code}`;
    case 'killed':
      return `was killed by ${exit.signal}`;
    case 'not_started':
      return `could not be started: ${exit.message}`;
  }
}
