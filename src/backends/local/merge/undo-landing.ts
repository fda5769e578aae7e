import { landConflict, namedPaths, type LandUndone } from '../../../domain/merge/landing.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import type { LandingStore, StoredLanding } from '../../../store/landing-store.ts';
import { commitTree } from '../../git/commit-tree.ts';
import { git } from '../../git/git.ts';
import { agentRefs, fleetRepositoryPath } from '../repository/fleet-repository.ts';
import { changesBetween } from './changed-paths.ts';
import { checkGit } from './check-git.ts';
import { finishLandings, putBack } from './finish-landings.ts';
import { holdCommit, letGo } from '../repository/held-commit.ts';
import { committerOf, found } from './land.ts';
import { takeTurn } from './landing-turn.ts';
import { MergeTrees } from './merge-tree.ts';
import { checkCanFollow, moveBranch } from './move-branch.ts';
import { noteUndone } from './note-undone.ts';
import { targetBranch, type TargetBranch } from './target-branch.ts';

export interface UndoParts {
  readonly home: string;
  readonly landings: LandingStore;
  readonly signal: AbortSignal;
}

/** Takes a landing back: the branch goes back while it is where the landing left it, else a commit reverts the landing. */
export async function undoLanding(
  land_id: string,
  { home, landings, signal }: UndoParts,
): Promise<LandUndone> {
  const { lender, undone: undoneBefore, agent_name } = found(landings, land_id);
  if (undoneBefore !== undefined)
    return {
      ...undoneBefore,
      message: `The landing of agent '${agent_name}' was undone before. Nothing was changed now.`,
    };
  await checkGit();
  using _turn = await takeTurn(home, lender, signal);
  await finishLandings({ home, landings }, lender);
  const landing = found(landings, land_id);
  const { into, before, after, state, undone } = landing;
  // By a call that was cut off, or that had the turn before this one.
  if (undone !== undefined) return undone;
  if (state !== 'landed' || into === null || before === null || after === null)
    throw landConflict('target_moved', `The landing "${land_id}" is ${state}: there is nothing to undo.`);
  const target = await targetBranch(lender, into);
  const fleet = fleetRepositoryPath(home, lender);
  const parts = { fleet, landings, landing, target };
  if (target.commit === after) return await goBack({ ...parts, before });
  if (!(await git(lender, ['merge-base', '--is-ancestor', after, target.commit])).ok)
    throw landConflict(
      'target_moved',
      `The branch ${into} no longer has the landed commit ${after.slice(0, 12)}: there is nothing to undo.`,
    );
  return await revert({ ...parts, before, after });
}

interface Step {
  readonly fleet: string;
  readonly landings: LandingStore;
  readonly landing: StoredLanding;
  readonly target: TargetBranch;
  readonly before: string;
}

async function goBack({ landings, landing, target, before }: Step): Promise<LandUndone> {
  const { lender } = landing;
  const changes = await changesBetween(lender, target.commit, before);
  await checkCanFollow({ lender, target, changes, command: async () => `git reset --keep ${before}` });
  intend(landings, landing, target, before);
  await settle(landings, landing, () => moveBranch({ lender, target, to: before, back: true }));
  return noteUndone(landings, landing, { from: target.commit, to: before });
}

async function revert({
  fleet,
  landings,
  landing,
  target,
  before,
  after,
}: Step & { after: string }): Promise<LandUndone> {
  const { lender, agent_name, land_id } = landing;
  using merges = await MergeTrees.open(fleet, target.commit);
  const theirs = await commitTree(fleet, { tree: `${before}^{tree}`, parents: [after], message: '-' });
  const merged = await merges.merge(target.commit, theirs);
  if (!merged.clean)
    throw landConflict(
      'conflicts',
      `The landing cannot be reverted: later commits of ${target.name} changed the same lines in ${namedPaths(merged.paths)}.`,
      { paths: merged.paths },
    );
  const commit = await commitTree(fleet, {
    tree: merged.tree,
    parents: [target.commit],
    message: `Revert the work of agent ${agent_name}\n\nThis reverts ${after}.`,
    env: await committerOf(lender),
  });
  const changes = await changesBetween(fleet, target.commit, commit);
  await checkCanFollow({ lender, target, changes, command: async () => `git revert ${after}` });
  await holdCommit(fleet, lender, { land_id, commit });
  intend(landings, landing, target, commit);
  await settle(landings, landing, () => moveBranch({ lender, target, to: commit }));
  await letGo(fleet, lender, land_id);
  await git(fleet, ['update-ref', '-d', agentRefs(landing.workspace_id).landed_as]);
  return noteUndone(landings, landing, { from: target.commit, to: commit });
}

function intend(landings: LandingStore, { land_id }: StoredLanding, target: TargetBranch, to: string): void {
  landings.change(land_id, {
    process: identify(process.pid) ?? null,
    intent: { from: target.commit, to, checkout: target.checkout, at: Date.now(), undo: true },
  });
}

/** A move that is refused leaves the landing as it was. */
async function settle(
  landings: LandingStore,
  { land_id }: StoredLanding,
  move: () => Promise<void>,
): Promise<void> {
  try {
    await move();
  } catch (thrown) {
    await putBack(found(landings, land_id));
    landings.change(land_id, { process: null, intent: null });
    throw thrown;
  }
}
