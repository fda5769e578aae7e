import type { AgentView } from '../../domain/agent.ts';
import { ranked, type Contender } from '../../domain/merge/ranking.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext, Making } from '../context/fleet-context.ts';
import { createAgent } from '../life/create-agent.ts';
import { showAgent } from '../reading/show-agent.ts';

export interface RaceInput {
  readonly project: string;
  readonly task?: string | undefined;
  readonly spec?: string | undefined;
  readonly count: number;
  /** One after the other, from the beginning again when there are fewer than agents. */
  readonly roles: readonly string[];
}

/** Several agents for one task. When one of them cannot be created, those before it stay. */
export async function raceAgents(
  context: FleetContext,
  { project, task, spec, count, roles }: RaceInput,
  { caller, makeId }: Making,
): Promise<readonly AgentView[]> {
  const agents: AgentView[] = [];
  for (let index = 0; index < count; index++) {
    const role = roles[index % Math.max(1, roles.length)];
    agents.push(
      await createAgent(
        context,
        { project, task, spec, role },
        { caller, makeId: (part) => makeId(`${part} ${index}`) },
      ),
    );
  }
  return agents;
}

const MOST_TASKS = 100;

/** Agents side by side, the best first. */
export async function compareAgents(
  context: FleetContext,
  names: readonly string[],
): Promise<readonly Contender[]> {
  if (names.length < 2)
    throw new FleetError('INVALID_INPUT', 'Name at least two agents to compare.', { field: 'agent_names' });
  return ranked(await Promise.all(names.map((name) => contender(context, name))));
}

async function contender(context: FleetContext, name: string): Promise<Contender> {
  const view = await showAgent(context, name);
  const { backend, agent } = await context.lookup.find(name);
  const { rows } = await backend.history(agent, { page: 1, page_size: MOST_TASKS });
  const took_ms = rows.reduce((sum, { started_at, finished_at }) => {
    const from = started_at == null ? Number.NaN : Date.parse(started_at);
    const to = finished_at == null ? Number.NaN : Date.parse(finished_at);
    return Number.isNaN(to - from) ? sum : sum + (to - from);
  }, 0);
  const { git, cost, checks } = view;
  return {
    agent_name: view.name,
    checks: checks?.state ?? null,
    files: git?.changed_files ?? 0,
    insertions: git?.insertions ?? 0,
    deletions: git?.deletions ?? 0,
    took_ms,
    cost,
  };
}
