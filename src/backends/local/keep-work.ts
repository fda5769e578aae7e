import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../domain/errors.ts';
import { git, gitText } from './git.ts';
import type { WorktreePlan } from './worktree-plan.ts';

export interface WorkOf {
  readonly plan: WorktreePlan;
  readonly agent_name: string;
  readonly workspace_id: string;
  /** The branch that was made for the agent: it goes with it. */
  readonly branch: string | undefined;
  /** A directory for the index that is used instead of the agent's own. */
  readonly scratch: string;
}

/** Puts work that is nowhere else on a branch of its own; returns its name, or null when there was none. */
export async function keepWork(work: WorkOf): Promise<string | null> {
  const { plan, agent_name } = work;
  if (!existsSync(plan.repository) && !existsSync(plan.directory)) return null;
  try {
    if (!existsSync(plan.repository)) throw new Error(`its repository ${plan.repository} is gone`);
    const commits = [await worktreeCommit(work), await branchCommit(work)].filter(
      (commit) => commit !== undefined,
    );
    const names = keptNames(work, new Set(commits).size);
    for (const [index, commit] of [...new Set(commits)].entries()) {
      await gitText(plan.repository, ['update-ref', `refs/heads/${names[index]}`, commit]);
    }
    return names[0] ?? null;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work of agent "${agent_name}" could not be kept (${why}), so it was not deleted. Mend that, or delete it with discard_work.`,
      { reason: 'work_not_kept' },
      thrown,
    );
  }
}

/** Removes the worktree and the branch that was made for it. Doing it again is harmless. */
export async function removeWorktree({ plan, branch }: WorkOf): Promise<void> {
  if (!existsSync(plan.repository)) {
    rmSync(plan.directory, { recursive: true, force: true });
    return;
  }
  await git(plan.repository, ['worktree', 'unlock', plan.directory]);
  await git(plan.repository, ['worktree', 'remove', '--force', '--force', plan.directory]);
  rmSync(plan.directory, { recursive: true, force: true });
  await git(plan.repository, ['worktree', 'prune']);
  if (branch !== undefined) await git(plan.repository, ['branch', '--quiet', '-D', '--', branch]);
}

/** The branch on which the work of an agent is kept. */
export function keptName({ agent_name, workspace_id }: Pick<WorkOf, 'agent_name' | 'workspace_id'>): string {
  return `fleet-kept/${agent_name}/${workspace_id}`;
}

/** An agent that left its branch and works elsewhere has work in two places. */
function keptNames(work: WorkOf, count: number): string[] {
  const name = keptName(work);
  return [name, `${name}-branch`].slice(0, count);
}

/** A commit that holds all that the worktree has, or undefined when everything in it is elsewhere too. */
async function worktreeCommit(work: WorkOf): Promise<string | undefined> {
  const { plan, agent_name, scratch } = work;
  if (!existsSync(plan.directory)) return undefined;
  const head = await git(plan.directory, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const status = await git(plan.directory, ['status', '--porcelain', '-z', '--untracked-files=all']);
  if (!status.ok) throw new Error(status.stderr.trim());
  const parent = head.ok ? head.stdout.trim() : undefined;
  if (status.stdout === '')
    return parent !== undefined && (await isOnlyHere(work, parent)) ? parent : undefined;
  const index = join(scratch, 'kept-index');
  rmSync(index, { force: true });
  const env = { GIT_INDEX_FILE: index };
  try {
    if (parent !== undefined) await gitText(plan.directory, ['read-tree', parent], { env });
    await gitText(plan.directory, ['add', '--all', '--', '.'], { env });
    const tree = await gitText(plan.directory, ['write-tree'], { env });
    const message = `Work of agent ${agent_name} that was not committed`;
    const parents = parent === undefined ? [] : ['-p', parent];
    return await gitText(plan.directory, ['commit-tree', tree, ...parents, '-m', message], {
      env: { ...env, ...FLEET_IDENTITY },
    });
  } finally {
    rmSync(index, { force: true });
  }
}

const FLEET_IDENTITY = {
  GIT_AUTHOR_NAME: 'Fleet',
  GIT_AUTHOR_EMAIL: 'fleet@localhost',
  GIT_COMMITTER_NAME: 'Fleet',
  GIT_COMMITTER_EMAIL: 'fleet@localhost',
};

/** The tip of the agent's own branch, when nothing else leads to it: also when the worktree is gone or elsewhere. */
async function branchCommit(work: WorkOf): Promise<string | undefined> {
  const { plan, branch } = work;
  if (branch === undefined) return undefined;
  const { ok, stdout } = await git(plan.repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${branch}^{commit}`,
  ]);
  if (!ok) return undefined;
  const tip = stdout.trim();
  const head = existsSync(plan.directory) ? await git(plan.directory, ['rev-parse', 'HEAD']) : undefined;
  const isInWorktree =
    head?.ok === true &&
    (await git(plan.repository, ['merge-base', '--is-ancestor', tip, head.stdout.trim()])).ok;
  return !isInWorktree && (await isOnlyHere(work, tip)) ? tip : undefined;
}

/** True when no ref but the agent's own branch leads to the commit. */
async function isOnlyHere({ plan, branch }: WorkOf, commit: string): Promise<boolean> {
  if (commit === plan.base_commit) return false;
  const refs = await gitText(plan.repository, ['for-each-ref', '--contains', commit, '--format=%(refname)']);
  return refs.split('\n').every((ref) => ref === '' || ref === `refs/heads/${branch}`);
}
