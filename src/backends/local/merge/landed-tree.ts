import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { gitText } from '../../git/git.ts';
import { changesBetween } from './changed-paths.ts';

export interface LandedChanges {
  /** The commit that uncommitted work was landed on, and the commit of that work. */
  readonly head: string;
  readonly landed: string;
  /** The commit that the tree is for, and the one that changes it now. */
  readonly onto: string;
  readonly commit: string;
}

/** The tree of a commit with what was landed of uncommitted work, in the files that the agent has committed since: git merges
 *  their landed content with the newer one then, instead of two files of the same name. */
export async function landedTree(
  fleet: string,
  { head, landed, onto, commit }: LandedChanges,
): Promise<string> {
  const [work, since, apart] = await Promise.all([
    changesBetween(fleet, head, landed),
    changesBetween(fleet, onto, commit),
    onto === head ? [] : changesBetween(fleet, head, onto),
  ]);
  const changed = new Set(since.map(({ path }) => path));
  const committed = new Set(apart.map(({ path }) => path));
  const wanted = work.filter(({ path }) => changed.has(path) && !committed.has(path));
  const tree = `${onto}^{tree}`;
  if (wanted.length === 0) return gitText(fleet, ['rev-parse', tree]);
  const file = join(fleet, `index-${randomUUID()}`);
  const env = { GIT_INDEX_FILE: file };
  try {
    await gitText(fleet, ['read-tree', tree], { env });
    const input = wanted
      .map(
        ({ path, mode, after }) =>
          `${after === null ? '0' : mode} ${after ?? '0'.repeat(head.length)}\t${path}\0`,
      )
      .join('');
    await gitText(fleet, ['update-index', '--replace', '-z', '--index-info'], { env, input });
    return await gitText(fleet, ['write-tree', '--missing-ok'], { env });
  } finally {
    rmSync(file, { force: true });
  }
}
