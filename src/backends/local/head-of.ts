import { adminEnvironment, type WorktreePlace, gitDirectoryEnvironment } from './find-worktree.ts';
import { git } from './git.ts';

/** What is checked out in a worktree. No commit: nothing is yet, or its HEAD cannot be read. */
export interface Head {
  readonly commit: string | undefined;
  readonly tree: string | undefined;
  /** Full name of the branch; undefined when it is on none. */
  readonly branch: string | undefined;
}

/** The HEAD of a worktree; where git's notes of it are gone or broken, what it would most likely be. */
export async function headOf({ common, admin }: WorktreePlace, instead: readonly string[]): Promise<Head> {
  if (admin !== undefined) {
    const env = adminEnvironment(common, admin);
    const head = await look('HEAD', common, env);
    if (head !== undefined) return head;
    const unborn = await git(common, ['symbolic-ref', '--quiet', 'HEAD'], { env });
    if (unborn.ok) return { commit: undefined, tree: undefined, branch: unborn.stdout.trim() };
  }
  for (const name of instead) {
    const head = await look(name, common, gitDirectoryEnvironment(common));
    if (head !== undefined) return { ...head, branch: undefined };
  }
  return { commit: undefined, tree: undefined, branch: undefined };
}

async function look(name: string, common: string, env: Record<string, string>): Promise<Head | undefined> {
  const args = ['rev-parse', `${name}^{commit}`, `${name}^{tree}`, '--symbolic-full-name', name];
  const { ok, stdout } = await git(common, args, { env });
  const [commit, tree, branch] = stdout.trim().split('\n');
  if (!ok || commit === undefined || tree === undefined) return undefined;
  return { commit, tree, branch: branch?.startsWith('refs/heads/') === true ? branch : undefined };
}
