import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BorrowedGit } from './borrowed-git.ts';
import { bytesOf, GITLINK, indexEntries, listFiles, statOf, type IndexEntry } from './file-list.ts';

export interface Snapshot {
  /** The tree of what was staged; undefined when there was no index. */
  readonly staged: string | undefined;
  /** The tree of the files, without those of repositories inside. */
  readonly files: string;
  /** Directories of repositories inside: submodules, and others that git would not look into. */
  readonly inside: readonly string[];
}

export interface SnapshotOf {
  readonly directory: string | undefined;
  /** What an index is made from when the agent's own is gone or broken. */
  readonly head: string | undefined;
}

/** Writes what is staged and what is in the files as objects. Afterwards git's index holds the files. */
export async function takeSnapshot(git: BorrowedGit, { directory, head }: SnapshotOf): Promise<Snapshot> {
  const { entries, own } = await openIndex(git, head);
  await lookAtAll(git, entries, directory);
  await settle(git, entries, directory);
  const tree = (): Promise<string> => git.text(['write-tree', '--missing-ok']);
  const staged = own || directory === undefined ? await tree() : undefined;
  const links = entries.filter(({ mode }) => mode === GITLINK).map(({ path }) => path);
  if (directory === undefined) return { staged, files: staged ?? (await tree()), inside: [] };
  const changed = await listFiles(git, CHANGED);
  const plain = changed.filter((path) => !path.endsWith('/'));
  // Files that became directories: what is in these is listed by itself.
  const replaced = plain.filter((path) => !links.includes(path) && statOf(directory, path)?.isDirectory());
  await removeFiles(git, replaced);
  await addFiles(
    git,
    plain.filter((path) => !replaced.includes(path)),
  );
  const nested = changed.filter((path) => path.endsWith('/')).map((path) => path.slice(0, -1));
  return {
    staged,
    files: changed.length === 0 && staged !== undefined ? staged : await tree(),
    inside: [...new Set([...links, ...nested])],
  };
}

const CHANGED = ['--others', '--modified', '--deleted', '--exclude-standard'];

/** Puts files into the index as they are. What attributes ask for and cannot be done is left out: no byte is lost. */
export async function addFiles(git: BorrowedGit, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  const add = ['update-index', '--add', '--remove', '--replace', '-z', '--stdin'];
  const input = bytesOf(paths);
  if ((await git.try(add, { input })).ok) return;
  writeFileSync(
    join(git.directory, 'info', 'attributes'),
    '* -text -eol -working-tree-encoding -ident -filter\n',
  );
  await git.bytes(add, { input });
}

interface OpenedIndex {
  readonly entries: readonly IndexEntry[];
  /** True for the agent's own. */
  readonly own: boolean;
}

async function openIndex(git: BorrowedGit, head: string | undefined): Promise<OpenedIndex> {
  const index = join(git.directory, 'index');
  if (existsSync(index)) {
    try {
      return { entries: await indexEntries(git), own: true };
    } catch {
      rmSync(index);
    }
  }
  if (head !== undefined) await git.bytes(['read-tree', head]);
  return { entries: await indexEntries(git), own: false };
}

/** Files that git was told not to look at are looked at, unless a sparse checkout left them out. */
async function lookAtAll(
  git: BorrowedGit,
  entries: readonly IndexEntry[],
  directory: string | undefined,
): Promise<void> {
  const unlooked = entries.filter(({ tag }) => tag !== tag.toUpperCase()).map(({ path }) => path);
  const skipped = entries
    .filter(
      ({ tag, path }) =>
        tag.toUpperCase() === 'S' && directory !== undefined && statOf(directory, path) !== undefined,
    )
    .map(({ path }) => path);
  for (const [flag, paths] of [
    ['--no-assume-unchanged', unlooked],
    ['--no-skip-worktree', skipped],
  ] as const) {
    if (paths.length > 0) await git.bytes(['update-index', flag, '-z', '--stdin'], { input: bytesOf(paths) });
  }
}

/** A conflict cannot be in a tree: what is in the file stands for it, and both sides are in the commits. */
async function settle(
  git: BorrowedGit,
  entries: readonly IndexEntry[],
  directory: string | undefined,
): Promise<void> {
  const paths = [...new Set(entries.filter(({ stage }) => stage > 0).map(({ path }) => path))];
  if (directory !== undefined) return addFiles(git, paths);
  await removeFiles(git, paths);
}

async function removeFiles(git: BorrowedGit, paths: readonly string[]): Promise<void> {
  if (paths.length === 0) return;
  await git.bytes(['update-index', '--force-remove', '-z', '--stdin'], { input: bytesOf(paths) });
}
