import { isWorking } from '../../../domain/merge/is-working.ts';
import { publishConflict } from '../../../domain/merge/publish-problem.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import type { AgentRecord } from '../../backend.ts';
import type { ProjectRemote, Publishing, PushRequest, ReadyPush } from '../../publishing.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { clonePlanOf } from '../workspace/plan-workspace.ts';
import { preparePush } from './prepare-push.ts';
import { projectRemote } from './project-remote.ts';

/** Pushes the work of agents on this machine from their project's repository. */
export class LocalPublishing implements Publishing {
  readonly #context: LocalContext;

  constructor(context: LocalContext) {
    this.#context = context;
  }

  async remote(agent: AgentRecord): Promise<ProjectRemote> {
    const { plan, launch } = this.#origin(agent);
    const { lender } = await clonePlanOf(plan, launch.name);
    return projectRemote(lender, plan.base_name);
  }

  prepare(agent: AgentRecord, request: PushRequest): Promise<ReadyPush> {
    if (isWorking(agent.state))
      throw publishConflict('busy', `The agent "${agent.name}" is working. Wait until it is idle.`);
    const { home } = this.#context;
    const { plan, launch } = this.#origin(agent);
    return preparePush({ home, paths: agentPaths(home, agent.workspace_id), plan, launch }, request);
  }

  #origin(agent: AgentRecord): Origin {
    const origin = this.#context.rows.origin(agent.workspace_id);
    if (origin !== undefined) return origin;
    throw new FleetError('NOT_FOUND', `The agent "${agent.name}" no longer exists.`, { field: 'agent_name' });
  }
}
