import { chmodSync, existsSync, lstatSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { findWorktree, gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';
import type { WorkOf } from './keep-work.ts';

/** Removes the worktree and the branch that was made for it, and nothing of others. Doing it again is harmless. */
export async function removeWorktree({ plan, branch }: WorkOf): Promise<void> {
  if (!existsSync(plan.repository)) return removeTree(plan.directory);
  const place = await findWorktree(plan).catch(() => undefined);
  removeTree(plan.directory);
  // Not by git: it would follow what an agent wrote into its notes, and forget worktrees that are only away.
  if (place?.admin !== undefined && place.moved_to === undefined) removeTree(place.admin);
  if (branch !== undefined && place !== undefined) await removeBranch(place.common, branch);
}

async function removeBranch(common: string, branch: string): Promise<void> {
  await git(common, ['branch', '--quiet', '-D', '--', branch], { env: gitDirectoryEnvironment(common) });
}

function removeTree(path: string): void {
  try {
    rmSync(path, { recursive: true, force: true });
  } catch {
    openDirectories(path);
    rmSync(path, { recursive: true, force: true });
  }
}

/** Some tools make directories that nothing can be removed from. */
function openDirectories(path: string): void {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  chmodSync(path, 0o700);
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) openDirectories(join(path, entry.name));
  }
}
