import { landConflict, namedPaths } from '../../../domain/merge/landing.ts';
import { allEnded } from '../../../platform/all-ended.ts';
import { git, gitText, gitProblem } from '../../git/git.ts';
import type { ChangedPath } from './changed-paths.ts';
import { checkCheckoutIdle, type TargetBranch } from './target-branch.ts';

export interface Move {
  /** The git directory of the project's repository. */
  readonly lender: string;
  readonly target: TargetBranch;
  /** A commit that the repository has, under a ref. */
  readonly to: string;
  /** True for a move to an older commit, when a landing is undone. */
  readonly back?: boolean;
}

export interface Following extends Pick<Move, 'lender' | 'target'> {
  /** What is different where the branch moves to. */
  readonly changes: readonly ChangedPath[];
  /** What the user can type in the checkout when only their own git can do it. */
  command(): Promise<string>;
}

/** Throws CONFLICT when the checkout of a branch, where it has one, could not follow it to a commit. Changes nothing. */
export async function checkCanFollow(following: Following): Promise<void> {
  const { target, changes } = following;
  if (target.checkout === null) return;
  await allEnded([
    checkCheckoutIdle(target),
    checkPlain(following),
    checkClean(
      target,
      changes.map(({ path }) => path),
    ),
  ]);
}

/** Moves a branch from where it was seen, and its checkout with it. Throws CONFLICT when it is not there any more. */
export async function moveBranch({ lender, target, to, back = false }: Move): Promise<void> {
  const { checkout, ref, commit, name } = target;
  if (checkout === null) {
    const { ok } = await git(lender, ['update-ref', ref, to, commit]);
    if (!ok) throw moved(name);
    return;
  }
  const there = await gitText(checkout, ['rev-parse', 'HEAD', '--symbolic-full-name', 'HEAD']);
  if (there !== `${commit}\n${ref}`) throw moved(name);
  // `reset --keep` takes a file for changed whose times are new.
  if (back) await git(checkout, ['update-index', '-q', '--refresh']);
  const args = back
    ? ['reset', '--quiet', '--keep', to]
    : ['-c', 'merge.verifySignatures=false', 'merge', '--quiet', '--ff-only', '--no-autostash', to];
  const { ok, stderr } = await git(checkout, args);
  if (!ok) {
    if ((await gitText(lender, ['rev-parse', ref])) !== commit) throw moved(name);
    throw landConflict('target_dirty', `The checkout ${checkout} did not follow: ${lastLine(stderr)}`, {
      path: checkout,
    });
  }
  if ((await gitText(lender, ['rev-parse', ref])) !== to) throw gitProblem(args, stderr);
}

/** A checkout whose new files need a program or another repository is left to the user's own git. */
async function checkPlain({ lender, target, changes, ...following }: Following): Promise<void> {
  const modules = changes.filter(({ gitlink }) => gitlink).map(({ path }) => path);
  const filtered = (await hasFilters(lender)) ? await filteredPaths(target.checkout ?? '', changes) : [];
  const paths = [...modules, ...filtered];
  if (paths.length === 0) return;
  const what = modules.length > 0 ? 'a submodule' : 'a filter';
  const command = await following.command();
  throw landConflict(
    'needs_checkout',
    `${target.name} is checked out in ${target.checkout ?? ''}, and ${namedPaths(paths)} needs ${what}. Type there: ${command}`,
    { paths, command },
  );
}

async function hasFilters(lender: string): Promise<boolean> {
  const { ok } = await git(lender, ['config', '--get-regexp', '^filter\\..*\\.(smudge|process)$']);
  return ok;
}

/** New attributes may name a filter for any file. */
async function filteredPaths(checkout: string, changes: readonly ChangedPath[]): Promise<readonly string[]> {
  const attributes = changes.filter(({ path }) => path.split('/').at(-1) === '.gitattributes');
  if (attributes.length > 0) return attributes.map(({ path }) => path);
  const input = changes.map(({ path }) => `${path}\0`).join('');
  const listed = await gitText(checkout, ['check-attr', '-z', '--stdin', 'filter'], { input });
  const words = listed.split('\0');
  return words.flatMap((word, index) =>
    index % 3 === 2 && !['unspecified', 'unset', ''].includes(word) ? [words[index - 2] ?? ''] : [],
  );
}

/** Ignored files count: git would overwrite them. */
async function checkClean({ name, checkout }: TargetBranch, paths: readonly string[]): Promise<void> {
  if (checkout === null || paths.length === 0) return;
  const wanted = new Set(paths);
  const inside = (path: string): boolean =>
    wanted.has(path) ||
    paths.some((each) => each.startsWith(`${path.replace(/\/$/, '')}/`) || path.startsWith(`${each}/`));
  const { ok, stdout, stderr } = await git(checkout, [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignored=matching',
    '--ignore-submodules=dirty',
  ]);
  if (!ok) throw gitProblem(['status'], stderr);
  const dirty = stdout
    .split('\0')
    .map((entry) => entry.slice(3))
    .filter((path) => path !== '' && inside(path));
  if (dirty.length === 0) return;
  throw landConflict(
    'target_dirty',
    `${name} is checked out in ${checkout}, and ${namedPaths(dirty)} has changes there that would be lost. Commit or stash them first.`,
    { paths: dirty, path: checkout },
  );
}

function moved(name: string) {
  return landConflict('target_moved', `The branch ${name} moved meanwhile. Nothing was landed; try again.`);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}
