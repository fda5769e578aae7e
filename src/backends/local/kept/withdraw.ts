import { chmodSync, cpSync, existsSync, lstatSync, readFileSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';
import { removeTree } from '../../../platform/remove-tree.ts';
import type { WorkOf } from '../workspace/agent-work-of.ts';
import { git } from '../../git/git.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { forgetAgent } from '../repository/forget-agent.ts';
import { unshow } from '../lender/pin.ts';

/** Takes an agent's work out of sight: its branch is no longer shown in the project's repository, and a worktree of an older
 *  version leaves it. When work is discarded, nothing is left. Doing it again is harmless. */
export async function withdraw(work: WorkOf, discard: boolean): Promise<void> {
  const { home, paths, plan, launch } = work;
  if (plan.clone === undefined) await takeWorktree(work);
  else if (existsSync(plan.clone.lender))
    await unshow(plan.clone.lender, { ...plan.clone, workspace_id: launch.workspace_id });
  // What only its own programs used, and could fill with anything.
  for (const directory of [paths.temporary, paths.longTemporary, paths.stage]) removeTree(directory);
  if (!discard) return;
  for (const directory of [paths.workspace, paths.state]) removeTree(directory);
  if (plan.clone !== undefined || existsSync(plan.repository))
    await forgetAgent(home, await clonePlanOf(plan, launch.name), launch.workspace_id);
}

/** Moves a worktree, and what git notes of it, beside the agent's journal. The branch that was made for it goes. */
async function takeWorktree({ plan, paths }: WorkOf): Promise<void> {
  if (isDirectory(plan.directory) && !existsSync(paths.workspace)) {
    // A directory that cannot be written to cannot be moved either.
    chmodSync(plan.directory, 0o700);
    renameSync(plan.directory, paths.workspace);
  }
  if (!existsSync(plan.repository)) return;
  const { ok, stdout } = await git(plan.repository, [
    'rev-parse',
    '--path-format=absolute',
    '--git-common-dir',
  ]);
  if (!ok) return;
  // Not by git: it would follow what an agent wrote into its notes, and forget worktrees that are only away.
  const common = stdout.trim();
  const notes = join(common, 'worktrees', basename(plan.directory));
  if (isDirectory(join(common, 'worktrees')) && isDirectory(notes)) {
    cpSync(notes, join(paths.directory, 'worktree-notes'), { recursive: true, dereference: false });
    removeTree(notes);
  }
  const branch = branchMadeFor(paths.directory);
  if (plan.own_branch === true && branch !== undefined)
    await git(common, ['update-ref', '-d', `refs/heads/${branch}`]);
}

function branchMadeFor(directory: string): string | undefined {
  const note = join(directory, 'worktree.done');
  return existsSync(note) ? readFileSync(note, 'utf8') : undefined;
}

function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
