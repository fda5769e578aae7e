import { lstatSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { gitText } from './git.ts';
import type { WorktreePlan } from './worktree-plan.ts';

/** Where the parts of a worktree are. An agent can write its `.git` anew, so that is not asked. */
export interface WorktreePlace {
  /** The git directory that all worktrees of the repository share. */
  readonly common: string;
  /** What git notes of this worktree, inside of it; undefined when that is gone. */
  readonly admin: string | undefined;
  /** The files; undefined when they are gone. */
  readonly files: string | undefined;
  /** Where `git worktree move` took the files. */
  readonly moved_to: string | undefined;
}

export async function findWorktree({ repository, directory }: WorktreePlan): Promise<WorktreePlace> {
  const common = await commonDirectory(repository);
  const admin = adminOf(common, directory);
  return {
    common,
    admin,
    files: isDirectory(directory) ? directory : undefined,
    moved_to: admin === undefined ? undefined : movedTo(admin, directory),
  };
}

/** What points git at a git directory, whatever its configuration says of where the files are. */
export function gitDirectoryEnvironment(directory: string): Record<string, string> {
  return { GIT_DIR: directory, GIT_WORK_TREE: directory };
}

/** What points git at the HEAD and the index of a worktree, whatever its own files say. */
export function adminEnvironment(common: string, admin: string): Record<string, string> {
  return { ...gitDirectoryEnvironment(admin), GIT_COMMON_DIR: common };
}

/** The text of a small file that git wrote; undefined when there is none. */
export function readNote(...path: readonly string[]): string | undefined {
  const file = join(...path);
  const stat = lstatSync(file, { throwIfNoEntry: false });
  return stat?.isFile() === true && stat.size < 1_000_000 ? readFileSync(file, 'utf8') : undefined;
}

export function isDirectory(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The git directory that all worktrees of a repository share. */
export async function commonDirectory(repository: string): Promise<string> {
  const usual = join(repository, '.git');
  if (isDirectory(usual)) return realpathSync(usual);
  const args = ['rev-parse', '--path-format=absolute', '--git-common-dir'];
  return realpathSync(await gitText(repository, args));
}

/** Git names it after the directory, which is the id of the workspace. */
function adminOf(common: string, directory: string): string | undefined {
  const worktrees = join(common, 'worktrees');
  const own = join(worktrees, basename(directory));
  if (isDirectory(own)) return own;
  if (!isDirectory(worktrees)) return undefined;
  return readdirSync(worktrees)
    .map((name) => join(worktrees, name))
    .find((admin) => isDirectory(admin) && noted(admin) === real(join(directory, '.git')));
}

function movedTo(admin: string, directory: string): string | undefined {
  const there = noted(admin);
  if (there === undefined || there === real(join(directory, '.git'))) return undefined;
  const back = /^gitdir: (.*)\n?$/.exec(readNote(there) ?? '')?.[1];
  return back !== undefined && real(back) === real(admin) ? dirname(there) : undefined;
}

function noted(admin: string): string | undefined {
  const text = readNote(admin, 'gitdir')?.trim();
  return text === undefined ? undefined : resolve(admin, text);
}

/** Git notes real paths; the last part need not be there. */
function real(path: string): string {
  let there = dirname(path);
  const rest = [basename(path)];
  for (;;) {
    try {
      return join(realpathSync(there), ...rest);
    } catch {
      if (there === dirname(there)) return path;
      rest.unshift(basename(there));
      there = dirname(there);
    }
  }
}
