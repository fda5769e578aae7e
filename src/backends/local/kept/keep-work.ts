import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { writeFileAtomic } from '../../../platform/write-file.ts';
import { agentRepository, type WorkOf } from '../workspace/agent-work-of.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { reasonOf } from '../repository/agent-work.ts';
import { findWork, keepOnBranch } from '../repository/keep.ts';
import { lenderProblem } from '../lender/lender-problem.ts';

export interface KeptWork {
  /** Empty when everything is elsewhere too. */
  readonly branches: readonly string[];
  /** What else there is to say, a sentence each. */
  readonly notes: readonly string[];
}

/** Puts work that is nowhere else on a branch of the project's repository. Work that cannot be read is in the archive, like
 *  all the rest of the workspace: no agent can keep itself from being deleted. */
export async function keepWork(work: WorkOf): Promise<KeptWork> {
  const { plan, launch, paths } = work;
  const done = join(paths.directory, KEPT_NOTE);
  if (existsSync(done)) return { branches: keptBefore(paths.directory), notes: [] };
  const { repository, keeping } = await orNotDeleted(launch.name, async () => {
    const { lender } = await clonePlanOf(plan, launch.name);
    const gone = lenderProblem(plan.repository, lender);
    if (gone !== undefined) throw new Error(gone);
    const { name: agent_name, workspace_id } = launch;
    return { repository: await agentRepository(work), keeping: { agent_name, workspace_id, plan, lender } };
  });
  let found = false;
  const notes: string[] = [];
  try {
    // Once more: what a runner that was just ended had begun may have been in the way.
    found = await findWork(repository, keeping).catch(() => findWork(repository, keeping));
  } catch (thrown) {
    notes.push(`its work is in the archive and on no branch: ${reasonOf(thrown)}`);
  }
  const branches = found ? [await orNotDeleted(launch.name, () => keepOnBranch(repository, keeping))] : [];
  writeFileAtomic(done, branches.join('\n'));
  return { branches, notes };
}

/** A failure of the project's repository is not the agent's fault: then the agent is not deleted. */
async function orNotDeleted<Result>(agentName: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work of agent "${agentName}" could not be kept (${reasonOf(thrown)}), so it was not deleted. Fix that, or delete it with discard_work.`,
      { reason: 'work_not_kept' },
      thrown,
    );
  }
}

/** Where it is noted that the work was kept, and on which branches. */
export const KEPT_NOTE = 'kept.done';

/** The branches on which the work of an agent was kept before, as the directory of its state or its archive says. */
export function keptBefore(directory: string): readonly string[] {
  const done = join(directory, KEPT_NOTE);
  if (!existsSync(done)) return [];
  return readFileSync(done, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
