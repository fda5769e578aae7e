import { borrowGit, type BorrowedGit } from './borrowed-git.ts';
import type { Loose } from './collect-work.ts';
import { listOf } from './file-list.ts';
import type { WorktreePlace } from './find-worktree.ts';
import type { Head } from './head-of.ts';
import { ignoredWork } from './ignored-work.ts';
import { keepInsides, worktreesWithin } from './inside-repositories.ts';
import type { WorkOf } from './keep-work.ts';
import { addFiles, takeSnapshot, type Snapshot } from './snapshot.ts';
import { cutOffMessage } from './unfinished.ts';

export interface Making {
  readonly work: WorkOf;
  readonly place: WorktreePlace;
  readonly head: Head;
  readonly git: BorrowedGit;
}

export interface MadeCommits {
  /** Of what is in the files, when that is not what is checked out. */
  readonly files: readonly Loose[];
  /** Of what was staged, when that is in neither. */
  readonly index: readonly Loose[];
  /** Of what has no place in them: repositories inside, and ignored files. */
  readonly beside: readonly Loose[];
  readonly notes: readonly string[];
}

/** Commits of what is in a worktree and in no commit. */
export async function madeCommits(making: Making): Promise<MadeCommits> {
  const { work, place, head, git } = making;
  const before = head.tree ?? (await treeOfBase(making));
  const taken = await takeSnapshot(git, { directory: place.files, head: head.commit });
  const files: Loose[] = [];
  if (taken.files !== before && !(head.tree === undefined && (await isEmpty(git, taken.files)))) {
    const said = cutOffMessage(place);
    const message = `${said === '' ? '' : `${said}\n\n`}Work of agent ${work.agent_name} that was not committed`;
    files.push(await commitOf(git, { what: 'files', tree: taken.files, message, parent: head.commit }));
  }
  const index: Loose[] = [];
  if (taken.staged !== undefined && (await isOnlyStaged(git, taken, before))) {
    const message = `What agent ${work.agent_name} had staged`;
    index.push(await commitOf(git, { what: 'index', tree: taken.staged, message, parent: head.commit }));
  }
  return { files, index, ...(await besideCommits(making, taken)) };
}

async function besideCommits(
  { work, place, git }: Making,
  { inside }: Snapshot,
): Promise<Pick<MadeCommits, 'beside' | 'notes'>> {
  if (place.files === undefined) return { beside: [], notes: [] };
  const beside: Loose[] = [];
  const ignored = await ignoredWork(git, work.plan);
  const paths = [...inside, ...ignored.inside, ...worktreesWithin(place.common, place.files)];
  const insides = { ...place, files: place.files, scratch: work.scratch, paths: [...new Set(paths)] };
  const nested = await keepInsides(insides);
  if (nested !== undefined) {
    const message = `Repositories inside the worktree of agent ${work.agent_name}\n\n${nested.about.join('\n')}`;
    beside.push(await commitOf(git, { what: 'nested', tree: nested.tree, message, parent: undefined }));
  }
  if (ignored.files.length > 0) {
    using fresh = await borrowGit({ ...place, admin: undefined, scratch: work.scratch });
    await addFiles(fresh, ignored.files);
    const tree = await fresh.text(['write-tree', '--missing-ok']);
    const message = `Files of agent ${work.agent_name} that git ignores`;
    beside.push(await commitOf(git, { what: 'ignored', tree, message, parent: undefined }));
  }
  const notes = ignored.left.map(
    (path) => `${path}, which the agent made git ignore, is too large and was not kept`,
  );
  return { beside, notes };
}

interface NewCommit {
  readonly what: string;
  readonly tree: string;
  readonly message: string;
  readonly parent: string | undefined;
}

const FLEET_IDENTITY = {
  GIT_AUTHOR_NAME: 'Fleet',
  GIT_AUTHOR_EMAIL: 'fleet@localhost',
  GIT_COMMITTER_NAME: 'Fleet',
  GIT_COMMITTER_EMAIL: 'fleet@localhost',
};

async function commitOf(git: BorrowedGit, { what, tree, message, parent }: NewCommit): Promise<Loose> {
  const parents = parent === undefined ? [] : ['-p', parent];
  const commit = await git.text(['commit-tree', tree, ...parents], {
    env: FLEET_IDENTITY,
    input: Buffer.from(`${message}\n`),
  });
  return { what, commit, made: true };
}

/** True when a file was staged with a content that is neither in the commit nor in the file. */
async function isOnlyStaged(
  git: BorrowedGit,
  { staged, files }: Snapshot,
  before: string | undefined,
): Promise<boolean> {
  if (staged === undefined || staged === files || staged === before) return false;
  const compare = ['diff-tree', '-r', '-z', '--name-only', '--no-renames'];
  const changed = listOf(
    await git.bytes(
      before === undefined
        ? ['ls-tree', '-r', '-z', '--name-only', staged]
        : [...compare, '--diff-filter=d', before, staged],
    ),
  );
  const changedAgain = new Set(listOf(await git.bytes([...compare, staged, files])));
  return changed.some((path) => changedAgain.has(path));
}

/** The base is gone with a repository that was made anew. */
async function treeOfBase({ git, work }: Making): Promise<string | undefined> {
  const look = ['rev-parse', '--verify', '--quiet', `${work.plan.base_commit}^{tree}`];
  const { ok, stdout } = await git.try(look);
  return ok ? stdout.toString().trim() : undefined;
}

async function isEmpty(git: BorrowedGit, tree: string): Promise<boolean> {
  return (await git.bytes(['ls-tree', tree])).length === 0;
}
