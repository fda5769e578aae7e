import type { LandingStore } from '../../../store/landing-store.ts';
import { git } from '../../git/git.ts';

export interface LandedWork {
  /** Fleet's own repository. */
  readonly fleet: string;
  readonly workspace_id: string;
  /** The agent's commit. */
  readonly commit: string;
  readonly target: string;
}

/** The commit of the agent that its last squash or rebase has landed, while both are still part of their branches. */
export async function landedBefore(
  landings: LandingStore,
  { fleet, workspace_id, commit, target }: LandedWork,
): Promise<string | null> {
  const [last] = landings.of(workspace_id, 'landed').filter(({ options }) => options.strategy !== 'merge');
  if (last?.head == null || last.after === null) return null;
  const both = (await isPart(fleet, last.head, commit)) && (await isPart(fleet, last.after, target));
  // A branch that has the landed commit too was updated since.
  return both && !(await isPart(fleet, last.after, commit)) ? last.head : null;
}

/** Where the target was before the work of an agent was landed that it reverts now; null when it reverts none. */
export async function revertedFrom(
  landings: LandingStore,
  { fleet, workspace_id, commit, target }: LandedWork,
): Promise<string | null> {
  let from: string | null = null;
  for (const { state, before, after, head } of landings.ended(workspace_id)) {
    if (before === null || after === null || head === null) continue;
    if (state === 'landed') break;
    const counts = (await isPart(fleet, after, target)) && (await isPart(fleet, head, commit));
    if (counts) from = before;
  }
  return from;
}

export async function isPart(repository: string, one: string, other: string): Promise<boolean> {
  return (await git(repository, ['merge-base', '--is-ancestor', one, other])).ok;
}
