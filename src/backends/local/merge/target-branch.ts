import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { landConflict } from '../../../domain/merge/landing.ts';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import { git, gitText } from '../../git/git.ts';

/** A branch of the project's repository that work lands on. */
export interface TargetBranch {
  readonly name: string;
  readonly ref: string;
  readonly commit: string;
  /** The directory where it is checked out; null when it is nowhere. */
  readonly checkout: string | null;
}

/** Finds the branch, and refuses one that somebody is in the middle of something with. */
export async function targetBranch(lender: string, name: string): Promise<TargetBranch> {
  const ref = `refs/heads/${name}`;
  const { ok, stdout } = await git(lender, ['rev-parse', '--verify', '--quiet', `${ref}^{commit}`]);
  if (!ok || name.startsWith('-')) {
    throw new FleetError('INVALID_INPUT', `The project has no branch ${quote(name)} that work can land on.`, {
      field: 'into',
    });
  }
  const trees = await workTrees(lender);
  for (const { path, git_directory } of trees) checkNotBusy(ref, path, git_directory);
  const places = trees.filter(({ branch }) => branch === ref);
  if (places.length > 1)
    throw landConflict(
      'target_busy',
      `The branch ${name} is checked out in several places: ${places.map(({ path }) => path).join(', ')}.`,
    );
  return { name, ref, commit: stdout.trim(), checkout: places[0]?.path ?? null };
}

interface WorkTree {
  readonly path: string;
  readonly branch: string | null;
  readonly git_directory: string;
}

async function workTrees(lender: string): Promise<readonly WorkTree[]> {
  const listed = await gitText(lender, ['worktree', 'list', '--porcelain', '-z']);
  const found = listed.split('\0\0').flatMap((entry) => {
    const fields = new Map(
      entry
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)]),
    );
    const path = fields.get('worktree');
    return path === undefined || fields.has('bare') || !existsSync(path)
      ? []
      : [{ path, branch: fields.get('branch') ?? null }];
  });
  return Promise.all(
    found.map(async (each) => ({
      ...each,
      git_directory: await gitText(each.path, ['rev-parse', '--absolute-git-dir']),
    })),
  );
}

/** The files of an unfinished rebase or bisect that name the branch that it is about. */
const HELD_BY = ['rebase-merge/head-name', 'rebase-apply/head-name', 'BISECT_START'];
/** What is there while git is in the middle of something in a checkout. */
const IN_PROGRESS: readonly (readonly [file: string, what: string])[] = [
  ['MERGE_HEAD', 'a merge'],
  ['CHERRY_PICK_HEAD', 'a cherry-pick'],
  ['REVERT_HEAD', 'a revert'],
  ['rebase-merge', 'a rebase'],
  ['rebase-apply', 'a rebase'],
  ['BISECT_LOG', 'a bisect'],
  ['index.lock', 'another git command'],
];

function checkNotBusy(ref: string, path: string, git_directory: string): void {
  for (const file of HELD_BY) {
    const held = textOf(join(git_directory, file));
    if (held === ref || held === ref.replace('refs/heads/', ''))
      throw busy(ref, path, 'a rebase or bisect of it');
  }
}

/** Refuses a checkout in which git is in the middle of something. */
export async function checkCheckoutIdle({ ref, checkout }: TargetBranch): Promise<void> {
  if (checkout === null) return;
  const directory = await gitText(checkout, ['rev-parse', '--absolute-git-dir']);
  const found = IN_PROGRESS.find(([file]) => existsSync(join(directory, file)));
  if (found !== undefined) throw busy(ref, checkout, found[1]);
}

function textOf(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return undefined;
  }
}

function busy(ref: string, path: string, what: string): FleetError {
  const name = ref.replace('refs/heads/', '');
  return landConflict(
    'target_busy',
    `The branch ${name} is in use: ${what} is in progress in ${path}. Finish it first.`,
    {
      path,
    },
  );
}
