import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import type { ClonePlan } from '../records/workspace-plan.ts';
import { alternatesText, makeGitDirectory } from '../lender/git-directory.ts';

/** Fleet's own repository for a project's: the work of its agents arrives here, and their checkpoints stay here. No agent
 *  sees it, and no ref of it is one of the user's. */
export function fleetRepository(
  home: string,
  { lender, format }: Pick<ClonePlan, 'lender' | 'format'>,
): string {
  const path = fleetRepositoryPath(home, lender);
  if (existsSync(path)) return followShallow(path, lender);
  const made = `${path}.${process.pid}`;
  rmSync(made, { recursive: true, force: true });
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makeGitDirectory({
    path: made,
    format,
    head: 'ref: refs/heads/none',
    settings: [
      ['core.bare', 'true'],
      ['core.logAllRefUpdates', 'false'],
      ['gc.auto', '0'],
      ['maintenance.auto', 'false'],
      // Bytes matter less than time: most of it is small, and read again soon.
      ['pack.compression', '1'],
    ],
    alternates: [join(lender, 'objects')],
  });
  try {
    renameSync(made, path);
  } catch (thrown) {
    rmSync(made, { recursive: true, force: true });
    if (!existsSync(path)) throw thrown;
  }
  return followShallow(path, lender);
}

/** Where the history of a shallow project ends, it ends here too: git would miss the commits before. */
function followShallow(path: string, lender: string): string {
  const [theirs, own] = [lender, path].map((each) => textOf(join(each, 'shallow')));
  if (theirs !== own) writeFileAtomic(join(path, 'shallow'), theirs ?? '');
  return path;
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw thrown;
  }
}

export function fleetRepositoryPath(home: string, lender: string): string {
  const name = createHash('sha256').update(lender).digest('hex').slice(0, 16);
  return join(home, 'repositories', `${name}.git`);
}

/** The refs of one agent in it. */
export function agentRefs(workspaceId: string) {
  const own = `refs/agents/${workspaceId}`;
  return {
    own,
    /** What the agent's branch was when it was last taken over. */
    branch: `${own}/branch`,
    /** A commit that leads to all that was last taken over. */
    all: `${own}/all`,
    /** The newest of the checkpoints, each of which has the one before as its first parent. */
    checkpoints: `${own}/checkpoints`,
    /** What was nowhere else when the agent was deleted. */
    kept: `${own}/kept`,
    /** A commit whose parents are what was last landed in another form, and what it was landed as. */
    landed_as: `${own}/landed-as`,
    /** Uncommitted work as it was last landed. */
    landed: `${own}/landed`,
    /** What was last pushed to the project's remote, and what a push that may not have ended was to push there. */
    pushed: `${own}/pushed`,
    pushing: `${own}/pushing`,
  };
}

/** Points a repository of Fleet's own at objects that were moved. */
export function setLender(gitDirectory: string, lender: string): void {
  const file = join(gitDirectory, 'objects', 'info', 'alternates');
  const text = alternatesText([join(lender, 'objects')]);
  if (!existsSync(file) || readFileSync(file, 'utf8') !== text) writeFileAtomic(file, text);
}
