import { landConflict, type LandOptions } from '../../../domain/merge/landing.ts';
import { FleetError, toFleetError } from '../../../domain/values/errors.ts';
import type { LandingStore, StoredLanding } from '../../../store/landing-store.ts';
import { allEnded } from '../../../platform/all-ended.ts';
import { git } from '../../git/git.ts';
import { shownAs } from '../lender/pin.ts';
import type { WorkOf } from '../workspace/agent-work-of.ts';
import { agentRefs, fleetRepositoryPath } from '../repository/fleet-repository.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { changesBetween } from './changed-paths.ts';
import { checkGit } from './check-git.ts';
import { checkSubmodules } from './check-submodules.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { isPart } from '../../git/commits.ts';
import { earlierLandings } from './earlier-landings.ts';
import { finishLandings, putBack } from './finish-landings.ts';
import { holdCommit, letGo } from '../repository/held-commit.ts';
import { makeLandingCommit } from './landing-commit.ts';
import { takeTurn } from './landing-turn.ts';
import { checkCanFollow, moveBranch } from './move-branch.ts';
import { readyWork } from './ready-work.ts';
import { targetBranch } from './target-branch.ts';

export interface LandParts {
  readonly landings: LandingStore;
  readonly work: WorkOf;
  /** Whether the agent has a task, running or queued. */
  readonly busy: boolean;
  readonly signal: AbortSignal;
  progress(message: string): void;
  /** Runs the project's checks on a commit of Fleet's repository; throws CONFLICT when one fails. */
  check(fleet: string, commit: string): Promise<void>;
}

/** Lands the work of an agent: the merged tree is made and checked first, then the branch moves, and nothing else. Whatever
 *  fails changes nothing. Returns the landing as it is stored. */
export async function land(land_id: string, parts: LandParts): Promise<StoredLanding> {
  const { landings, work, signal } = parts;
  const landing = found(landings, land_id);
  try {
    await checkGit();
    using _turn = await takeTurn(work.home, landing.lender, signal);
    await finishLandings({ home: work.home, landings }, landing.lender);
    return await landInTurn(landing, parts);
  } catch (thrown) {
    const error = toFleetError(thrown);
    await putBack(found(landings, land_id));
    await letGo(fleetRepositoryPath(work.home, landing.lender), landing.lender, land_id);
    landings.change(land_id, {
      state: 'failed',
      intent: null,
      process: null,
      message: error.message,
      error: error.toBody(),
    });
    throw error;
  }
}

async function landInTurn(landing: StoredLanding, parts: LandParts): Promise<StoredLanding> {
  const { landings, work, busy, progress, signal } = parts;
  const { land_id, lender, options, agent_name } = landing;
  const { plan } = work;
  if (busy && options.head === undefined)
    throw landConflict(
      'busy',
      `The agent "${agent_name}" is working. Wait until it is idle, or name the commit that you reviewed as head.`,
    );
  progress(`reading the work of ${agent_name}`);
  const [target, { fleet, commit, head, notes }, committer] = await allEnded([
    targetBranch(lender, options.into ?? plan.base_name),
    readyWork(work, options),
    committerOf(lender),
  ]);
  landings.change(land_id, { into: target.name });
  progress(`merging ${agent_name} into ${target.name}`);
  const after = await makeLandingCommit({
    fleet,
    agent_name,
    target,
    commit,
    strategy: options.strategy,
    message: options.message,
    committer,
    notes,
    earlier: await earlierLandings(landings, {
      fleet,
      workspace_id: landing.workspace_id,
      commit,
      target: target.commit,
    }),
  });
  const changes = await changesBetween(fleet, target.commit, after);
  await checkSubmodules(fleet, lender, { to: after, changes });
  const command = async () => commandOf(options.strategy, await shownName(work, lender));
  if (!options.skip_checks) {
    await checkCanFollow({ lender, target, changes, command });
    await parts.check(fleet, after);
  }
  signal.throwIfAborted();
  await holdCommit(fleet, lender, { land_id, commit: after });
  // What was seen before the checks ran may have changed since.
  await checkCanFollow({ lender, target, changes, command });
  landings.change(land_id, {
    into: target.name,
    before: target.commit,
    after,
    head,
    landed: commit,
    intent: { from: target.commit, to: after, checkout: target.checkout, at: Date.now(), undo: false },
  });
  await moveBranch({ lender, target, to: after });
  await verify(lender, target.ref, { commit, after, strategy: options.strategy });
  await letGo(fleet, lender, land_id);
  await noteLanded(fleet, landing, { head, commit, after });
  return landings.land(land_id, [`Agent '${agent_name}' landed on ${target.name}.`, ...notes].join(' '));
}

/** For the next landing, which is merged from uncommitted work as it was landed, and for the numbers of the agent's changes. */
async function noteLanded(
  fleet: string,
  { workspace_id, options }: StoredLanding,
  { head, commit, after }: { readonly head: string; readonly commit: string; readonly after: string },
): Promise<void> {
  const refs = agentRefs(workspace_id);
  if (commit !== head) await git(fleet, ['update-ref', refs.landed, commit]);
  if (options.strategy === 'merge') return;
  const note = await commitTree(fleet, {
    tree: `${after}^{tree}`,
    parents: [head, after],
    message: 'Landed',
  });
  await git(fleet, ['update-ref', refs.landed_as, note]);
}

/** What the agent's branch is called in the project's repository. */
async function shownName({ plan, launch }: WorkOf, lender: string): Promise<string> {
  const { published_as } = await clonePlanOf(plan, launch.name);
  const shown = await shownAs(lender, { workspace_id: launch.workspace_id, published_as });
  return (shown ?? published_as).replace('refs/remotes/', '');
}

/** How a user lands a branch in a checkout. */
function commandOf(strategy: LandOptions['strategy'], branch: string): string {
  switch (strategy) {
    case 'merge':
      return `git merge --no-ff ${branch}`;
    case 'squash':
      return `git merge --squash ${branch} && git commit`;
    case 'rebase':
      return `git cherry-pick ..${branch}`;
  }
}

export function found(landings: LandingStore, land_id: string): StoredLanding {
  const landing = landings.find(land_id);
  if (landing !== undefined) return landing;
  throw new FleetError('NOT_FOUND', `There is no landing "${land_id}".`, { field: 'land_id' });
}

/** The user of the repository commits a landing. */
export async function committerOf(lender: string): Promise<Readonly<Record<string, string>>> {
  const { ok, stdout } = await git(lender, ['var', 'GIT_COMMITTER_IDENT']);
  const [, name, email] = /^(.*) <(.*)> \d+ [+-]\d{4}$/.exec(stdout.trim()) ?? [];
  if (!ok || name === undefined || email === undefined || name === '') return {};
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: email,
  };
}

/** Success is reported only for work that is seen in the target. */
async function verify(
  lender: string,
  ref: string,
  { commit, after, strategy }: { commit: string; after: string; strategy: LandOptions['strategy'] },
): Promise<void> {
  if (await isPart(lender, strategy === 'merge' ? commit : after, ref)) return;
  throw landConflict(
    'target_moved',
    `The branch ${ref} does not have the work: it moved at the same moment.`,
  );
}
