import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { git } from '../../git/git.ts';
import { KEPT_NOTE, keptBefore } from './keep-work.ts';
import type { Origin } from '../records/origin.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { agentRefs, fleetRepository } from '../repository/fleet-repository.ts';
import { keptBranch } from '../repository/keep.ts';
import { refAt } from '../repository/take-over.ts';

/** Forgets that the work of an agent was kept, or was about to be, when the agent goes on: it is kept again when the agent is
 *  deleted again. The branch goes too, unless it is checked out or was changed: the agent has the work on it. */
export async function forgetKept(home: string, { plan, launch }: Origin, directory: string): Promise<void> {
  const branches = new Set([...keptBefore(directory), keptBranch(launch)]);
  rmSync(join(directory, KEPT_NOTE), { force: true });
  if (plan.clone === undefined && !existsSync(plan.repository)) return;
  const clone = await clonePlanOf(plan, launch.name);
  const fleet = fleetRepository(home, clone);
  const { kept } = agentRefs(launch.workspace_id);
  const commit = await refAt(fleet, kept);
  if (commit === null) return;
  if (existsSync(clone.lender))
    for (const branch of branches) await removeUnused(clone.lender, `refs/heads/${branch}`, commit);
  await git(fleet, ['update-ref', '-d', kept]);
}

async function removeUnused(lender: string, ref: string, commit: string): Promise<void> {
  const { stdout } = await git(lender, ['for-each-ref', '--format=%(worktreepath)', ref]);
  if (stdout.trim() === '') await git(lender, ['update-ref', '-d', ref, commit]);
}
