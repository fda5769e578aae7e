import type { LandStrategy } from '../../../domain/merge/landing.ts';
import type { LandingStore } from '../../../store/landing-store.ts';
import { allEnded } from '../../../platform/all-ended.ts';
import { isPart } from '../../git/commits.ts';

export interface LandedWork {
  /** Fleet's own repository. */
  readonly fleet: string;
  readonly workspace_id: string;
  /** The agent's commit. */
  readonly commit: string;
  readonly target: string;
}

/** A landing of the agent whose work is part of what the agent has now, and of the target or a commit that reverts it. */
export interface EarlierLanding {
  readonly strategy: LandStrategy;
  /** Where the agent's branch was. */
  readonly head: string;
  /** What was landed: `head`, or a commit of uncommitted work on top of it. */
  readonly landed: string;
  readonly before: string;
  readonly after: string;
  /** The commit of the target that reverts it; null while its work is there. */
  readonly reverted_by: string | null;
  /** Whether the agent has taken in the landed commit, in place of its own ones. */
  readonly taken_in: boolean;
}

/** The newest landing whose work is in the target, with all that the target reverts now; newest first. What an agent has taken
 *  in together with its revert is as the agent has left it, and not among them. */
export async function earlierLandings(
  landings: LandingStore,
  { fleet, workspace_id, commit, target }: LandedWork,
): Promise<readonly EarlierLanding[]> {
  const found: EarlierLanding[] = [];
  for (const { options, before, after, head, landed, undone } of landings.ended(workspace_id)) {
    if (before === null || after === null || head === null) continue;
    const reverted_by = undone?.how === 'revert' ? undone.after : null;
    if (undone !== undefined && reverted_by === null) continue;
    if (reverted_by === null && found.some((each) => each.reverted_by === null)) continue;
    const [is_landed, is_known, taken_in, is_own] = await allEnded([
      isPart(fleet, reverted_by ?? after, target),
      reverted_by === null ? Promise.resolve(false) : isPart(fleet, reverted_by, commit),
      isPart(fleet, after, commit),
      isPart(fleet, head, commit),
    ]);
    if (!is_landed || is_known || (!taken_in && !is_own)) continue;
    const later = await having(fleet, found, [head, after]);
    // A later landing has the work of this one too, and has undone its revert.
    if (reverted_by === null ? later.length > 0 : await isPartOfAny(fleet, reverted_by, later)) continue;
    const { strategy } = options;
    // Uncommitted work as a later landing has it stands for that of this one.
    const own = later.length > 0 ? head : (landed ?? head);
    found.push({ strategy, head, landed: own, before, after, reverted_by, taken_in });
  }
  return found;
}

/** The landings that have the work of an older one, as its own commits or as the landed one. */
async function having(
  fleet: string,
  found: readonly EarlierLanding[],
  commits: readonly string[],
): Promise<readonly EarlierLanding[]> {
  const all = await Promise.all(
    found.map(async (each) => {
      for (const commit of commits) if (await isPart(fleet, commit, each.head)) return [each];
      return [];
    }),
  );
  return all.flat();
}

async function isPartOfAny(
  fleet: string,
  commit: string,
  later: readonly EarlierLanding[],
): Promise<boolean> {
  for (const { before } of later) if (await isPart(fleet, commit, before)) return true;
  return false;
}
