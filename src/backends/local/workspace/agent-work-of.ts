import type { Launch } from '../../../domain/launch.ts';
import { existsSync } from 'node:fs';
import { wasMade } from './local-workspace.ts';
import type { Origin } from '../records/origin.ts';
import type { AgentPaths } from '../records/paths.ts';
import { clonePlanOf } from './plan-workspace.ts';
import { AgentRepository } from '../repository/agent-repository.ts';
import { AgentWork } from '../repository/agent-work.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

export interface WorkOf {
  readonly home: string;
  readonly paths: AgentPaths;
  readonly plan: WorkspacePlan;
  readonly launch: Pick<Launch, 'name' | 'workspace_id' | 'contained'>;
}

/** How Fleet follows the work of an agent. */
export function agentWork(of: WorkOf): AgentWork {
  let repository: Promise<AgentRepository> | undefined;
  return new AgentWork(of.launch.name, () => (repository ??= agentRepository(of)));
}

/** @param scratch names a directory of its own for a process that reads beside the runner */
export async function agentRepository(
  { home, paths, plan, launch }: WorkOf,
  scratch?: string,
): Promise<AgentRepository> {
  const clone = await clonePlanOf(plan, launch.name);
  const contained = launch.contained !== false;
  return new AgentRepository({
    home,
    paths,
    plan,
    clone,
    workspace_id: launch.workspace_id,
    contained,
    ...(scratch === undefined ? {} : { scratch }),
  });
}

/** An agent of an older version whose worktree was not made yet, or is gone, gets a repository of its own. */
export async function resolvedPlan({ plan, launch }: Origin, paths: AgentPaths): Promise<WorkspacePlan> {
  if (plan.clone !== undefined || (wasMade(paths.directory) && existsSync(plan.directory))) return plan;
  const clone = await clonePlanOf(plan, launch.name);
  return { ...plan, clone, directory: paths.workspace, branch: `fleet/${launch.name}` };
}
