import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../domain/errors.ts';
import { git, gitText } from './git.ts';
import type { WorktreePlan } from './worktree-plan.ts';

export interface KeepRequest {
  readonly plan: WorktreePlan;
  readonly agent_name: string;
  readonly workspace_id: string;
  /** A directory for the index that is used instead of the agent's own. */
  readonly scratch: string;
}

/** Puts work that is nowhere else on a branch of its own; returns its name, or null when there was none. */
export async function keepWork(request: KeepRequest): Promise<string | null> {
  const { plan } = request;
  const branch = `fleet-kept/${request.agent_name}/${request.workspace_id}`;
  if (!existsSync(plan.repository) && !existsSync(plan.directory)) return null;
  try {
    if (!existsSync(plan.repository)) throw new Error(`its repository ${plan.repository} is gone`);
    const commit = existsSync(plan.directory) ? await commitOfWorktree(request) : await tipOfBranch(plan);
    if (commit === undefined) return null;
    await gitText(plan.repository, ['update-ref', `refs/heads/${branch}`, commit]);
    return branch;
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work of agent "${request.agent_name}" could not be kept (${why}), so it was not deleted. Mend that, or delete it with discard_work.`,
      { reason: 'work_not_kept' },
      thrown,
    );
  }
}

/** Removes the worktree and the branch that was made for it. Doing it again is harmless. */
export async function removeWorktree(plan: WorktreePlan): Promise<void> {
  if (!existsSync(plan.repository)) {
    rmSync(plan.directory, { recursive: true, force: true });
    return;
  }
  const branch = existsSync(plan.directory)
    ? (await git(plan.directory, ['symbolic-ref', '--quiet', '--short', 'HEAD'])).stdout.trim()
    : '';
  await git(plan.repository, ['worktree', 'unlock', plan.directory]);
  await git(plan.repository, ['worktree', 'remove', '--force', '--force', plan.directory]);
  rmSync(plan.directory, { recursive: true, force: true });
  await git(plan.repository, ['worktree', 'prune']);
  if (!plan.own_branch) return;
  for (const name of new Set([branch, plan.branch])) {
    if (name.startsWith('fleet/') || name.startsWith('fleet-'))
      await git(plan.repository, ['branch', '--quiet', '-D', '--', name]);
  }
}

/** A commit that holds all that the worktree has, or undefined when everything in it is elsewhere too. */
async function commitOfWorktree(request: KeepRequest): Promise<string | undefined> {
  const { plan, agent_name } = request;
  const head = await git(plan.directory, ['rev-parse', '--verify', '--quiet', 'HEAD^{commit}']);
  const status = await git(plan.directory, ['status', '--porcelain', '-z', '--untracked-files=all']);
  if (!status.ok) throw new Error(status.stderr.trim());
  const parent = head.ok ? head.stdout.trim() : undefined;
  if (status.stdout === '')
    return parent !== undefined && (await isOnlyHere(plan, parent)) ? parent : undefined;
  const index = join(request.scratch, 'kept-index');
  rmSync(index, { force: true });
  const env = { GIT_INDEX_FILE: index };
  try {
    if (parent !== undefined) await gitText(plan.directory, ['read-tree', parent], { env });
    await gitText(plan.directory, ['add', '--all', '--', '.'], { env });
    const tree = await gitText(plan.directory, ['write-tree'], { env });
    return await gitText(
      plan.directory,
      [
        'commit-tree',
        tree,
        ...(parent === undefined ? [] : ['-p', parent]),
        '-m',
        `Work of agent ${agent_name} that was not committed`,
      ],
      { env: { ...env, ...FLEET_IDENTITY } },
    );
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

/** A worktree that is gone has nothing but its commits to keep. */
async function tipOfBranch(plan: WorktreePlan): Promise<string | undefined> {
  if (!plan.own_branch) return undefined;
  const { ok, stdout } = await git(plan.repository, [
    'rev-parse',
    '--verify',
    '--quiet',
    `refs/heads/${plan.branch}^{commit}`,
  ]);
  if (!ok) return undefined;
  const tip = stdout.trim();
  return (await isOnlyHere(plan, tip)) ? tip : undefined;
}

/** True when no ref but the agent's own branch leads to the commit. */
async function isOnlyHere(plan: WorktreePlan, commit: string): Promise<boolean> {
  if (commit === plan.base_commit) return false;
  const refs = await gitText(plan.repository, ['for-each-ref', '--contains', commit, '--format=%(refname)']);
  const others = refs.split('\n').filter((ref) => ref !== '' && !(plan.own_branch && isOwnBranch(plan, ref)));
  return others.length === 0;
}

function isOwnBranch(plan: WorktreePlan, ref: string): boolean {
  return ref === `refs/heads/${plan.branch}` || ref.startsWith(`refs/heads/${plan.branch}-`);
}
