import { landConflict, namedPaths, type LandStrategy } from '../../../domain/merge/landing.ts';
import type { FleetError } from '../../../domain/values/errors.ts';
import { allEnded } from '../../../platform/all-ended.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { git, gitText } from '../../git/git.ts';
import { changesBetween } from './changed-paths.ts';
import type { EarlierLanding } from './earlier-landings.ts';
import { landedTree } from './landed-tree.ts';
import { MergeTrees, type Merged } from './merge-tree.ts';

export interface LandingCommitRequest {
  /** Fleet's own repository. */
  readonly fleet: string;
  readonly agent_name: string;
  readonly target: { readonly name: string; readonly commit: string };
  readonly commit: string;
  readonly strategy: LandStrategy;
  readonly message: string | undefined;
  /** Who lands it, as variables of git. */
  readonly committer: Readonly<Record<string, string>>;
  /** Landings of this agent that the target has, or reverts, newest first. */
  readonly earlier: readonly EarlierLanding[];
  /** Sentences about work of the agent that is not in the commit. */
  readonly notes: readonly string[];
}

/** Makes the commit that the target moves to, in Fleet's own repository. Throws CONFLICT when the work does not merge. */
export async function makeLandingCommit(request: LandingCommitRequest): Promise<string> {
  using merges = await MergeTrees.open(request.fleet, request.target.commit);
  const fresh = await freshCommits(request);
  const restored = await restoredTree(request, merges);
  if (fresh.length === 0 && restored === undefined) throw nothingToLand(request);
  const work: Work = { merges, fresh, restored };
  switch (request.strategy) {
    case 'merge':
      return await mergeCommit(request, work);
    case 'squash':
      return await squashCommit(request, work);
    case 'rebase':
      return await rebasedCommits(request, work);
  }
}

interface Work {
  readonly merges: MergeTrees;
  /** Commits of the agent that no landing had, oldest first. */
  readonly fresh: readonly string[];
  /** The tree of the target with the landings that it reverts; undefined when there are none. */
  readonly restored: string | undefined;
}

async function mergeCommit(request: LandingCommitRequest, work: Work): Promise<string> {
  const { fleet, target, commit, message, agent_name, committer } = request;
  const [tree, subjects] = await allEnded([
    newTree(request, work),
    message === undefined ? subjectLines(request, work) : Promise.resolve(''),
  ]);
  return commitTree(fleet, {
    tree,
    parents: [target.commit, commit],
    message: message ?? `Merge the work of agent ${agent_name}\n\n${subjects}`,
    env: committer,
  });
}

/** By the author of the newest commit. */
async function squashCommit(request: LandingCommitRequest, work: Work): Promise<string> {
  const { fleet, target, commit, message, agent_name, committer } = request;
  const tree = await newTree(request, work);
  const only =
    work.fresh.length === 1 && work.restored === undefined ? await messageOf(fleet, commit) : undefined;
  return commitTree(fleet, {
    tree,
    parents: [target.commit],
    message: message ?? only ?? `Work of agent ${agent_name}\n\n${await subjectLines(request, work)}`,
    env: { ...committer, ...(await authorOf(fleet, commit)) },
  });
}

/** Each commit on top of the one before. A commit whose parent has the tree of the place that it is put on stands in for
 *  that place, so that git merges from the commit's own parent. What the target reverts is one commit before them. */
async function rebasedCommits(request: LandingCommitRequest, work: Work): Promise<string> {
  const { fleet, target, committer, commit: newest } = request;
  const { merges, fresh, restored } = work;
  let onto = target.commit;
  const add = async (tree: string, from: string, message: string): Promise<void> => {
    if (tree === (await gitText(fleet, ['rev-parse', `${onto}^{tree}`]))) return;
    const env = { ...committer, ...(await authorOf(fleet, from)) };
    onto = await commitTree(fleet, { tree, parents: [onto], message, env });
  };
  if (restored !== undefined)
    await add(
      restored,
      newest,
      `Reapply the work of agent ${request.agent_name}\n\n${await subjectLines(request, { fresh: [] })}`,
    );
  let skipped = false;
  for (const commit of fresh) {
    const [parent, ...others] = await parentsOf(fleet, commit);
    if (others.length > 0) skipped = true;
    if (others.length > 0) continue;
    const base = parent === undefined ? undefined : await baseOf(request, parent, commit);
    const place =
      base === undefined
        ? onto
        : await commitTree(fleet, { tree: `${onto}^{tree}`, parents: [base], message: '-' });
    const theirs =
      base === undefined || base === parent
        ? commit
        : await commitTree(fleet, { tree: `${commit}^{tree}`, parents: [base], message: '-' });
    await add(treeOf(await merges.merge(place, theirs), request), commit, await messageOf(fleet, commit));
  }
  if (onto === target.commit) throw nothingToLand(request);
  if (skipped) await checkSame(request, work, onto);
  return onto;
}

/** Without its merge commits, work may lack what was changed in them. */
async function checkSame(request: LandingCommitRequest, work: Work, commit: string): Promise<void> {
  const { fleet, agent_name } = request;
  const changes = await changesBetween(fleet, treeOf(await merged(request, work), request), commit);
  if (changes.length === 0) return;
  const paths = changes.map(({ path }) => path);
  throw landConflict(
    'conflicts',
    `The merge commits of agent "${agent_name}" change ${namedPaths(paths)}, and a rebase leaves them out. Land it by merge or squash.`,
    { paths },
  );
}

/** Commits that change nothing are not landed: the target has their work, or the same work by somebody else. */
async function newTree(request: LandingCommitRequest, work: Work): Promise<string> {
  const [result, before] = await allEnded([
    merged(request, work),
    gitText(request.fleet, ['rev-parse', `${request.target.commit}^{tree}`]),
  ]);
  const tree = treeOf(result, request);
  if (tree === before) throw nothingToLand(request);
  return tree;
}

/** All of the work with the target. What the target has of it in another form stands beside it as a parent, so that git
 *  merges from what was landed then. */
async function merged(request: LandingCommitRequest, { merges, restored }: Work): Promise<Merged> {
  const { fleet, target, commit, earlier } = request;
  const stand = async (tree: string, parents: readonly string[]): Promise<string> =>
    commitTree(fleet, { tree, parents, message: '-' });
  const landed = await Promise.all(
    earlier.map(async (each) => {
      if (each.landed === each.head || each.taken_in || !(await isThere(fleet, each.landed)))
        return each.head;
      // All that is landed again must be what the agent has now.
      if (each.reverted_by !== null) return each.landed;
      return stand(await landedTree(fleet, { ...each, onto: each.head, commit }), [each.head]);
    }),
  );
  const same = restored === undefined && landed.every((each, at) => each === earlier[at]?.head);
  if (same && earlier.every(({ strategy, taken_in }) => strategy === 'merge' || taken_in))
    return merges.merge(target.commit, commit);
  const ours = await stand(restored ?? `${target.commit}^{tree}`, [target.commit, ...landed]);
  if (same) return merges.merge(ours, commit);
  return merges.merge(ours, await stand(`${commit}^{tree}`, [commit, ...landed]));
}

/** What a commit is merged from: its parent, with the uncommitted work of it that was landed. */
async function baseOf(
  { fleet, earlier }: LandingCommitRequest,
  parent: string,
  commit: string,
): Promise<string> {
  const uncommitted = earlier.find(({ landed, head, taken_in }) => landed !== head && !taken_in);
  if (uncommitted === undefined || !(await isThere(fleet, uncommitted.landed))) return parent;
  const tree = await landedTree(fleet, { ...uncommitted, onto: parent, commit });
  return commitTree(fleet, { tree, parents: [parent], message: '-' });
}

/** The target's tree with each revert of a landing undone: git would take the work for merged, and leave it out. */
async function restoredTree(request: LandingCommitRequest, merges: MergeTrees): Promise<string | undefined> {
  const { fleet, target, earlier } = request;
  let ours = target.commit;
  for (const reverted_by of await revertsOf(fleet, earlier)) {
    const theirs = await commitTree(fleet, {
      tree: `${reverted_by}^^{tree}`,
      parents: [reverted_by],
      message: '-',
    });
    const tree = treeOf(await merges.merge(ours, theirs), request);
    ours = await commitTree(fleet, { tree, parents: [ours], message: '-' });
  }
  if (ours === target.commit) return undefined;
  const [before, after] = (
    await gitText(fleet, ['rev-parse', `${target.commit}^{tree}`, `${ours}^{tree}`])
  ).split('\n');
  return before === after ? undefined : after;
}

/** Newest first: an older one may have removed what a newer one needs. */
async function revertsOf(fleet: string, earlier: readonly EarlierLanding[]): Promise<readonly string[]> {
  const reverts = earlier.flatMap(({ reverted_by }) => reverted_by ?? []);
  if (reverts.length < 2) return reverts;
  const depths = await Promise.all(
    reverts.map(async (commit) => ({
      commit,
      depth: Number(await gitText(fleet, ['rev-list', '--first-parent', '--count', commit])),
    })),
  );
  return depths.toSorted((one, other) => other.depth - one.depth).map(({ commit }) => commit);
}

function treeOf(merged: Merged, { agent_name, target }: LandingCommitRequest): string {
  if (merged.clean) return merged.tree;
  if ('unrelated' in merged)
    throw landConflict(
      'no_common_commit',
      `The branch of agent "${agent_name}" and ${target.name} have no commit in common.`,
    );
  throw landConflict(
    'conflicts',
    `The work of agent "${agent_name}" conflicts with ${target.name} in ${namedPaths(merged.paths)}. Update the agent (update_agent) and resolve it there.`,
    { paths: merged.paths },
  );
}

/** Oldest first. */
async function freshCommits({
  fleet,
  commit,
  target,
  earlier,
}: LandingCommitRequest): Promise<readonly string[]> {
  const known = [target.commit, ...earlier.map(({ head }) => head)];
  const args = ['rev-list', '--reverse', '--topo-order', commit, '--not', ...known];
  return (await gitText(fleet, args)).split('\n').filter((line) => line !== '');
}

/** Of the commits that are landed, and of those that are landed again. */
async function subjectLines(
  { fleet, earlier }: LandingCommitRequest,
  { fresh }: Pick<Work, 'fresh'>,
): Promise<string> {
  const format = ['log', '--format=- %s', '--max-count=50'];
  const again = earlier.filter(({ reverted_by }) => reverted_by !== null);
  const texts = await Promise.all([
    ...again.toReversed().map(({ landed, before }) => gitText(fleet, [...format, landed, '--not', before])),
    fresh.length === 0
      ? ''
      : gitText(fleet, [...format, '--no-walk=unsorted', '--stdin'], {
          input: fresh.slice(-50).toReversed().join('\n'),
        }),
  ]);
  return texts
    .filter((text) => text !== '')
    .map((text) => text.split('\n').toReversed().join('\n'))
    .join('\n');
}

async function isThere(fleet: string, commit: string): Promise<boolean> {
  return (await git(fleet, ['cat-file', '-e', `${commit}^{tree}`])).ok;
}

function nothingToLand({ agent_name, target, notes }: LandingCommitRequest): FleetError {
  const message = `The agent "${agent_name}" has nothing that ${target.name} does not have.`;
  return landConflict('nothing_to_land', [message, ...notes].join(' '));
}

function messageOf(fleet: string, commit: string): Promise<string> {
  return gitText(fleet, ['log', '--max-count=1', '--format=%B', commit]);
}

async function parentsOf(fleet: string, commit: string): Promise<readonly string[]> {
  const text = await gitText(fleet, ['rev-list', '--max-count=1', '--parents', commit]);
  return text.split(' ').slice(1);
}

async function authorOf(fleet: string, commit: string): Promise<Readonly<Record<string, string>>> {
  const text = await gitText(fleet, ['log', '--max-count=1', '--format=%an%x00%ae%x00%aD', commit]);
  const [name = '', email = '', date = ''] = text.split('\0');
  return { GIT_AUTHOR_NAME: name, GIT_AUTHOR_EMAIL: email, GIT_AUTHOR_DATE: date };
}
