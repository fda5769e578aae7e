import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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

/** Finds the branch, and refuses one that somebody is in the middle of something with. A name that stands for another branch
 *  is followed: that branch is the one that is checked out, and that moves. */
export async function targetBranch(lender: string, given: string): Promise<TargetBranch> {
  const { name, ref, commit } = await branchOf(lender, given);
  for (const directory of gitDirectories(lender)) checkNotBusy(ref, lender, directory);
  const places = (await workTrees(lender)).filter(({ branch }) => branch === ref);
  const away = places.find(({ path, main }) => !existsSync(main ? path : join(path, '.git')));
  if (away !== undefined)
    throw landConflict(
      'target_busy',
      `The branch ${name} is checked out in ${away.path}, which is not there now: its files could not follow. If it is gone for good, run git worktree prune.`,
      { path: away.path },
    );
  if (places.length > 1)
    throw landConflict(
      'target_busy',
      `The branch ${name} is checked out in several places: ${places.map(({ path }) => path).join(', ')}.`,
    );
  return { name, ref, commit, checkout: places[0]?.path ?? null };
}

const HEADS = 'refs/heads/';

async function branchOf(lender: string, given: string): Promise<Omit<TargetBranch, 'checkout'>> {
  const wanted = `${HEADS}${given}`;
  const format = '--format=%(refname)%00%(objectname)%00%(objecttype)%00%(symref)';
  const { stdout } = await git(lender, ['for-each-ref', format, wanted]);
  const [, commit = '', type, symref = ''] =
    stdout
      .split('\n')
      .map((line) => line.split('\0'))
      .find(([found]) => found === wanted) ?? [];
  const ref = symref === '' ? wanted : symref;
  if (type === 'commit' && ref.startsWith(HEADS) && !given.startsWith('-'))
    return { name: ref.slice(HEADS.length), ref, commit };
  throw new FleetError('INVALID_INPUT', `The project has no branch ${quote(given)} that work can land on.`, {
    field: 'into',
  });
}

interface WorkTree {
  readonly path: string;
  readonly branch: string | null;
  /** False for one that was added by `git worktree add`. */
  readonly main: boolean;
}

async function workTrees(lender: string): Promise<readonly WorkTree[]> {
  const listed = await gitText(lender, ['worktree', 'list', '--porcelain', '-z']);
  return listed.split('\0\0').flatMap((entry, index) => {
    const fields = new Map(
      entry
        .split('\0')
        .filter((line) => line !== '')
        .map((line) => [line.split(' ')[0] ?? '', line.slice(line.indexOf(' ') + 1)]),
    );
    const path = fields.get('worktree');
    return path === undefined || fields.has('bare')
      ? []
      : [{ path, branch: fields.get('branch') ?? null, main: index === 0 }];
  });
}

/** Of all checkouts, also of those whose files are not there now. */
function gitDirectories(lender: string): readonly string[] {
  const linked = join(lender, 'worktrees');
  return [lender, ...(existsSync(linked) ? readdirSync(linked).map((name) => join(linked, name)) : [])];
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

function checkNotBusy(ref: string, lender: string, git_directory: string): void {
  const checkout = dirname(textOf(join(git_directory, 'gitdir')) ?? lender);
  for (const file of HELD_BY) {
    const held = textOf(join(git_directory, file));
    if (held === ref || held === ref.replace(HEADS, ''))
      throw busy(ref, checkout, 'a rebase or bisect of it');
  }
  // A rebase with --update-refs moves all of these at its end: each has its own line.
  if (
    textOf(join(git_directory, 'rebase-merge', 'update-refs'))
      ?.split('\n')
      .includes(ref) === true
  )
    throw busy(ref, checkout, 'a rebase that moves it');
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
  const name = ref.replace(HEADS, '');
  return landConflict(
    'target_busy',
    `The branch ${name} is in use: ${what} is in progress in ${path}. Finish it first.`,
    {
      path,
    },
  );
}
