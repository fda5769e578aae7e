import { lstatSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { removeTree } from '../../../platform/remove-tree.ts';
import { checksDirectory } from './check-place.ts';
import { claimIfFree } from './claim-tree.ts';
import { treePaths } from './tree-paths.ts';

export interface FoundTree {
  readonly name: string;
  readonly directory: string;
  /** When checks last ran in it, in milliseconds. */
  readonly used_at: number;
}

/** The prepared trees in the directory of a project. */
export function treesIn(directory: string): readonly FoundTree[] {
  return directoriesIn(directory).flatMap((name) => {
    const path = join(directory, name);
    const used = statSync(treePaths(path).used, { throwIfNoEntry: false });
    return [{ name, directory: path, used_at: used?.mtimeMs ?? 0 }];
  });
}

/** The prepared trees of all projects. */
export function allTrees(home: string): readonly FoundTree[] {
  const directory = checksDirectory(home);
  return directoriesIn(directory)
    .filter((name) => name !== 'locks')
    .flatMap((name) => treesIn(join(directory, name)));
}

/** Removes a prepared tree unless checks run in it. */
export function removePrepared(home: string, { name, directory }: FoundTree): void {
  using lease = claimIfFree(home, name);
  if (lease !== undefined) removeTree(directory);
}

/** Keeps the trees of a project that were used last. */
export function pruneTrees(home: string, directory: string, most: number): void {
  const old = treesIn(directory)
    .toSorted((one, other) => other.used_at - one.used_at)
    .slice(most);
  for (const tree of old) removePrepared(home, tree);
}

function directoriesIn(path: string): readonly string[] {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return [];
  return readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}
