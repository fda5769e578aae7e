import { landConflict, namedPaths, type LandStrategy } from '../../../domain/merge/landing.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { gitText } from '../../git/git.ts';
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
  /** The commit that an earlier squash or rebase of this agent has landed already; null when there is none. */
  readonly landed_before: string | null;
  /** Where the target was before a landing of this agent that a later commit reverts; null when there is none. Git would
   *  take what was reverted for merged, and leave it out. */
  readonly reverted_from: string | null;
}

/** Makes the commit that the target moves to, in Fleet's own repository. Throws CONFLICT when the work does not merge. */
export async function makeLandingCommit(request: LandingCommitRequest): Promise<string> {
  using merges = await MergeTrees.open(request.fleet, request.target.commit);
  const [first] = await commitsOf(request);
  if (first === undefined)
    throw landConflict(
      'nothing_to_land',
      `The agent "${request.agent_name}" has nothing that ${request.target.name} does not have.`,
    );
  switch (request.strategy) {
    case 'merge':
      return await mergeCommit(request, merges);
    case 'squash':
      return await squashCommit(request, merges);
    case 'rebase':
      return await rebasedCommits(request, merges);
  }
}

async function mergeCommit(request: LandingCommitRequest, merges: MergeTrees): Promise<string> {
  const { fleet, target, commit, message, agent_name, committer } = request;
  const tree = treeOf(await merges.merge(await oursOf(request), commit), request);
  return commitTree(fleet, {
    tree,
    parents: [target.commit, commit],
    message: message ?? `Merge the work of agent ${agent_name}\n\n${await subjectLines(request)}`,
    env: committer,
  });
}

/** By the author of the newest commit. */
async function squashCommit(request: LandingCommitRequest, merges: MergeTrees): Promise<string> {
  const { fleet, target, commit, message, agent_name, committer } = request;
  const tree = treeOf(await merges.merge(await oursOf(request), commit), request);
  const commits = await commitsOf(request);
  const only = commits.length === 1 ? await messageOf(fleet, commit) : undefined;
  return commitTree(fleet, {
    tree,
    parents: [target.commit],
    message: message ?? only ?? `Work of agent ${agent_name}\n\n${await subjectLines(request)}`,
    env: { ...committer, ...(await authorOf(fleet, commit)) },
  });
}

/** Each commit on top of the one before. A commit whose parent has the tree of the place that it is put on stands in for
 *  that place, so that git merges from the commit's own parent. */
async function rebasedCommits(request: LandingCommitRequest, merges: MergeTrees): Promise<string> {
  const { fleet, target, committer } = request;
  let onto = target.commit;
  for (const commit of await commitsOf(request)) {
    const [parent, ...others] = await parentsOf(fleet, commit);
    if (others.length > 0) continue;
    const place =
      parent === undefined
        ? onto
        : await commitTree(fleet, { tree: `${onto}^{tree}`, parents: [parent], message: '-' });
    const tree = treeOf(await merges.merge(place, commit), request);
    if (tree === (await gitText(fleet, ['rev-parse', `${onto}^{tree}`]))) continue;
    onto = await commitTree(fleet, {
      tree,
      parents: [onto],
      message: await messageOf(fleet, commit),
      env: { ...committer, ...(await authorOf(fleet, commit)) },
    });
  }
  if (onto === target.commit)
    throw landConflict(
      'nothing_to_land',
      `The agent "${request.agent_name}" has nothing that ${target.name} does not have.`,
    );
  return onto;
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

/** The commits that are landed, oldest first. */
async function commitsOf(request: LandingCommitRequest): Promise<readonly string[]> {
  const args = ['rev-list', '--reverse', '--topo-order', request.commit, '--not', ...knownOf(request)];
  return (await gitText(request.fleet, args)).split('\n').filter((line) => line !== '');
}

/** Commits whose work the target has. */
function knownOf({ target, landed_before, reverted_from }: LandingCommitRequest): readonly string[] {
  return [reverted_from ?? target.commit, ...(landed_before === null ? [] : [landed_before])];
}

/** What the work is merged with. The part that an earlier squash or rebase has landed is in the target in another form:
 *  a commit with the target's tree stands in for it, so that git merges from what was landed then. */
async function oursOf({
  fleet,
  target,
  landed_before,
  reverted_from,
}: LandingCommitRequest): Promise<string> {
  const parent = landed_before ?? reverted_from;
  if (parent === null) return target.commit;
  return commitTree(fleet, { tree: `${target.commit}^{tree}`, parents: [parent], message: '-' });
}

async function subjectLines(request: LandingCommitRequest): Promise<string> {
  const { fleet, commit } = request;
  const args = ['log', '--format=- %s', '--max-count=50', commit, '--not', ...knownOf(request)];
  return (await gitText(fleet, args)).split('\n').toReversed().join('\n');
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
