import { borrowGit, sweepBorrowed } from './borrowed-git.ts';
import { findWorktree, type WorktreePlace, gitDirectoryEnvironment } from './find-worktree.ts';
import { git, gitText } from './git.ts';
import { headOf, type Head } from './head-of.ts';
import type { WorkOf } from './keep-work.ts';
import { madeCommits } from './made-commits.ts';
import { ownStashes } from './own-stashes.ts';
import { unfinishedCommits } from './unfinished.ts';

/** A commit that goes with the worktree or with the agent's branch. */
export interface Loose {
  /** For the name of the branch on which it is kept. */
  readonly what: string;
  readonly commit: string;
  /** True for one that Fleet made just now, so that nothing else can lead to it. */
  readonly made?: boolean;
}

export interface CollectedWork {
  /** What is nowhere else, the main one first. */
  readonly states: readonly Loose[];
  /** What else there is to say. */
  readonly notes: readonly string[];
}

/** Finds all that would be lost with the worktree and the agent's branch, and makes commits of what is none yet. */
export async function collectWork(work: WorkOf): Promise<CollectedWork> {
  sweepBorrowed(work.scratch);
  const place = await findWorktree(work.plan);
  const head = await headOf(place, [
    ...(work.branch === undefined ? [] : [`refs/heads/${work.branch}`]),
    work.plan.base_commit,
  ]);
  const { files, index, beside, notes } = await fromFiles(work, place, head);
  const found: readonly Loose[] = [
    ...files,
    ...(head.commit === undefined ? [] : [{ what: 'head', commit: head.commit }]),
    ...index,
    ...(await branchTip(work, place)),
    ...(await unfinishedCommits(place)),
    ...(await stashes(work, place, head)),
    ...beside,
  ];
  const states: Loose[] = [];
  for (const loose of found) {
    const known = states.map(({ commit }) => commit);
    if (loose.made === true || (await isOnlyHere(loose.commit, { work, place, known }))) states.push(loose);
  }
  const { moved_to } = place;
  const moved = moved_to === undefined ? [] : [`its worktree was moved to ${moved_to} and is left there`];
  return { states, notes: [...notes, ...moved] };
}

async function fromFiles(work: WorkOf, place: WorktreePlace, head: Head) {
  if (place.files === undefined && place.admin === undefined)
    return { files: [], index: [], beside: [], notes: [] };
  using borrowed = await borrowGit({ ...place, scratch: work.scratch });
  return await madeCommits({ work, place, head, git: borrowed });
}

/** The agent's own branch, which need not be what is checked out. */
async function branchTip({ branch }: WorkOf, { common }: WorktreePlace): Promise<readonly Loose[]> {
  if (branch === undefined) return [];
  const look = ['rev-parse', '--verify', '--quiet', `refs/heads/${branch}^{commit}`];
  const { ok, stdout } = await git(common, look, { env: gitDirectoryEnvironment(common) });
  return ok ? [{ what: 'branch', commit: stdout.trim() }] : [];
}

async function stashes(
  { branch, plan, created_at }: WorkOf,
  { common }: WorktreePlace,
  head: Head,
): Promise<readonly Loose[]> {
  const own = branch === undefined ? [] : [`refs/heads/${branch}`];
  const found = await ownStashes({
    common,
    branches: [...own, ...(head.branch === undefined ? [] : [head.branch])],
    base: plan.base_commit,
    head: head.commit,
    since: created_at,
  });
  return found.map((commit) => ({ what: 'stash', commit }));
}

interface Elsewhere {
  readonly work: WorkOf;
  readonly place: WorktreePlace;
  /** Commits that will be kept anyway. */
  readonly known: readonly string[];
}

/** True when no branch, tag or remote leads to the commit. The branches of other agents do not count: they come and go. */
async function isOnlyHere(commit: string, { work, place, known }: Elsewhere): Promise<boolean> {
  const { plan } = work;
  if (commit === plan.base_commit || known.includes(commit)) return false;
  const env = gitDirectoryEnvironment(place.common);
  if (!(await git(place.common, ['cat-file', '-e', `${commit}^{commit}`], { env })).ok) return false;
  const theirs = plan.own_branch ? [] : [`--glob=refs/heads/${plan.branch}`];
  const others = ['--exclude=fleet/*', '--branches', ...theirs, '--tags', '--remotes', ...known];
  const args = ['rev-list', '--max-count=1', commit, '--not', ...others];
  return (await gitText(place.common, args, { env })) !== '';
}
