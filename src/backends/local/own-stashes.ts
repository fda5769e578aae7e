import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';

export interface StashesOf {
  readonly common: string;
  /** Full names of the branches that the agent worked on. */
  readonly branches: readonly string[];
  /** Where it started. */
  readonly base: string;
  readonly head: string | undefined;
  /** When the agent was made: an agent of the same name may have been there before. */
  readonly since: string;
}

/** The stashes that an agent made, newest first. All worktrees share one list, and it stays as it is. */
export async function ownStashes({
  common,
  branches,
  base,
  head,
  since,
}: StashesOf): Promise<readonly string[]> {
  if (!existsSync(join(common, 'logs', 'refs', 'stash'))) return [];
  const { stdout } = await git(
    common,
    ['log', '--walk-reflogs', '--format=%H%x00%P%x00%ct%x00%gs', 'refs/stash', '--'],
    { env: gitDirectoryEnvironment(common) },
  );
  const stashes = stdout
    .split('\n')
    .map((line) => line.split('\0'))
    .filter(([, , seconds = '']) => Number(seconds) >= Math.floor(Date.parse(since) / 1000))
    .map(([commit = '', parents = '', , said = '']) => ({
      commit,
      parent: parents.split(' ')[0] ?? '',
      branch: /^(?:WIP on|On) ([^:]*):/.exec(said)?.[1],
    }));
  const names = branches.map((branch) => branch.replace(/^refs\/heads\//, ''));
  const found: string[] = [];
  for (const { commit, parent, branch } of stashes) {
    const own = branch === '(no branch)' ? await isBetween(parent) : names.includes(branch ?? '');
    if (own) found.push(commit);
  }
  return [...new Set(found)];

  /** Made on a commit of the agent's own, when it had no branch checked out. */
  async function isBetween(commit: string): Promise<boolean> {
    if (head === undefined) return false;
    const isAncestor = async (older: string, newer: string): Promise<boolean> =>
      (
        await git(common, ['merge-base', '--is-ancestor', older, newer], {
          env: gitDirectoryEnvironment(common),
        })
      ).ok;
    return !(await isAncestor(commit, base)) && (await isAncestor(commit, head));
  }
}
