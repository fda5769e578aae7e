import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../domain/errors.ts';
import { writeFileAtomic } from '../../platform/write-file.ts';
import { collectWork } from './collect-work.ts';
import { publishKept } from './publish-kept.ts';
import type { WorktreePlan } from './worktree-plan.ts';

export interface WorkOf {
  readonly plan: WorktreePlan;
  readonly agent_name: string;
  readonly workspace_id: string;
  /** When the agent was made: ISO 8601. */
  readonly created_at: string;
  /** The branch that was made for the agent: it goes with it. */
  readonly branch: string | undefined;
  /** A directory for what is needed meanwhile, and where it is noted that this is done. */
  readonly scratch: string;
}

export interface KeptWork {
  /** The main one first; empty when everything is elsewhere too. */
  readonly branches: readonly string[];
  /** What else there is to say, a sentence each. */
  readonly notes: readonly string[];
}

/** Puts work that is nowhere else on branches of its own. Once it is done, a half-removed worktree is not kept again. */
export async function keepWork(work: WorkOf): Promise<KeptWork> {
  const { plan, agent_name, scratch } = work;
  const done = join(scratch, DONE);
  if (existsSync(done)) return { branches: keptBefore(scratch), notes: [] };
  if (!existsSync(plan.repository) && !existsSync(plan.directory)) return { branches: [], notes: [] };
  try {
    if (!existsSync(plan.repository)) throw new Error(`its repository ${plan.repository} is gone`);
    const { states, notes } = await collectWork(work);
    const branches = await publishKept(work, states);
    writeFileAtomic(done, branches.join('\n'));
    return { branches, notes };
  } catch (thrown) {
    const why = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `The work of agent "${agent_name}" could not be kept (${why}), so it was not deleted. Mend that, or delete it with discard_work.`,
      { reason: 'work_not_kept' },
      thrown,
    );
  }
}

const DONE = 'kept.done';

/** Where somebody who came before has kept the work of an agent, as the directory of its state or its archive says. */
export function keptBefore(directory: string): readonly string[] {
  const done = join(directory, DONE);
  if (!existsSync(done)) return [];
  return readFileSync(done, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
}
