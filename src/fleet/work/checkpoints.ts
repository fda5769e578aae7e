import type { AgentRecord } from '../../backends/backend.ts';
import type { AgentView } from '../../domain/agent.ts';
import { FleetError } from '../../domain/values/errors.ts';
import { checkAgentName } from '../../domain/values/agent-name.ts';
import { pagingOf, type Page } from '../../domain/values/paging.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';
import { createAgent } from '../life/create-agent.ts';

/** The checkpoints of an agent, newest first. */
export async function listCheckpoints({ lookup, clock }: FleetContext, name: string, page: Page) {
  const { backend, agent } = await lookup.find(name);
  if (backend.checkpoints === undefined) throw noCheckpoints(agent);
  const all = (await backend.checkpoints(agent)).toReversed();
  const start = (page.page - 1) * page.page_size;
  return {
    name: agent.name,
    rows: all.slice(start, start + page.page_size),
    ...pagingOf(page, all.length),
    as_of: new Date(clock.now().at).toISOString(),
  };
}

export interface ForkInput {
  readonly agent_name: string;
  readonly checkpoint?: number | undefined;
  readonly task?: string | undefined;
  readonly name?: string | undefined;
  readonly role?: string | undefined;
}

/** A new agent that goes on from a checkpoint of another one, with the same spec. The other one stays as it is. */
export async function forkAgent(context: FleetContext, input: ForkInput, making: Making): Promise<AgentView> {
  if (input.name !== undefined) checkAgentName(input.name);
  const { backend, agent } = await context.lookup.host(input.agent_name);
  if (backend.checkpoints === undefined) throw noCheckpoints(agent);
  const { spec, given_spec } = await backend.details(agent);
  return createAgent(
    context,
    {
      project: agent.project,
      role: input.role ?? agent.role,
      name: input.name,
      task: input.task ?? spec ?? undefined,
      spec: given_spec,
      checkpoint: { workspace_id: agent.workspace_id, number: input.checkpoint },
    },
    making,
  );
}

function noCheckpoints({ name }: AgentRecord): FleetError {
  return new FleetError('INVALID_INPUT', `Fleet makes no checkpoints of the work of agent "${name}".`, {
    field: 'agent_name',
    reason: 'not_local',
  });
}
