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

/** The newest landing whose work is in the target, after those that the target reverts now; newest first. What an agent has
 *  taken in together with its revert is as the agent has left it, and not among them. */
export async function earlierLandings(
  landings: LandingStore,
  { fleet, workspace_id, commit, target }: LandedWork,
): Promise<readonly EarlierLanding[]> {
  const found: EarlierLanding[] = [];
  for (const { options, before, after, head, landed, undone } of landings.ended(workspace_id)) {
    if (before === null || after === null || head === null) continue;
    const reverted_by = undone?.how === 'revert' ? undone.after : null;
    if (undone !== undefined && reverted_by === null) continue;
    const [is_landed, is_known, taken_in, is_own] = await allEnded([
      isPart(fleet, reverted_by ?? after, target),
      reverted_by === null ? Promise.resolve(false) : isPart(fleet, reverted_by, commit),
      isPart(fleet, after, commit),
      isPart(fleet, head, commit),
    ]);
    if (!is_landed || is_known || (!taken_in && !is_own)) continue;
    // A later landing has the work of this one too.
    if (await isPartOfAny(fleet, head, found)) continue;
    const { strategy } = options;
    found.push({ strategy, head, landed: landed ?? head, before, after, reverted_by, taken_in });
    if (reverted_by === null) break;
  }
  return found;
}

async function isPartOfAny(fleet: string, head: string, found: readonly EarlierLanding[]): Promise<boolean> {
  for (const each of found) if (await isPart(fleet, head, each.head)) return true;
  return false;
}
