import type { AgentRecord } from '../../backends/backend.ts';
import type { Conflict } from '../../domain/merge/conflicts.ts';
import type { Forecast } from '../../domain/merge/forecast.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { FleetContext, Waiting } from '../context/fleet-context.ts';

export interface ConflictsInput {
  readonly project?: string | undefined;
  readonly agent_names?: readonly string[] | undefined;
}

/** The agents whose branches conflict with their base or with each other. */
export async function listConflicts(
  context: FleetContext,
  input: ConflictsInput,
): Promise<{
  readonly conflicts: readonly Conflict[];
  readonly left_out: readonly string[];
  readonly as_of: string;
}> {
  const agents = await chosen(context, input);
  const conflicts: Conflict[] = [];
  const left_out: string[] = [];
  for (const backend of await context.lookup.backends()) {
    const own = agents.filter((agent) => agent.backend === backend.name);
    const merging = own.length === 0 ? undefined : await backend.merging?.();
    if (merging === undefined) left_out.push(...own.map(({ name }) => name));
    else {
      const found = await merging.conflicts(own);
      conflicts.push(...found.conflicts);
      left_out.push(...found.left_out);
    }
  }
  return { conflicts, left_out, as_of: new Date(context.clock.now().at).toISOString() };
}

export interface ForecastInput {
  readonly project: string;
  readonly agent_names?: readonly string[] | undefined;
  readonly skip_checks: boolean;
}

/** Merges the branches of a project's agents and runs its checks on the result, without changing anything. */
export async function startForecast(
  context: FleetContext,
  { project: name, agent_names, skip_checks }: ForecastInput,
  waiting: Waiting,
): Promise<Forecast> {
  const { backend, project } = await context.lookup.project(name);
  const agents = await chosen(context, { project: project.name, agent_names });
  const merging = await backend.merging?.();
  if (merging === undefined) return withoutAgents(context, project.name, agents);
  const own = agents.filter((agent) => agent.backend === backend.name);
  const left_out = agents.filter((agent) => !own.includes(agent)).map((agent) => agent.name);
  return merging.forecast({ project: project.name, agents: own, skip_checks, left_out }, waiting);
}

export async function showForecast(context: FleetContext, name: string): Promise<Forecast> {
  const { backend, project } = await context.lookup.project(name);
  const merging = await backend.merging?.();
  if (merging === undefined)
    return withoutAgents(context, project.name, await chosen(context, { project: project.name }));
  const forecast = merging.lastForecast(project.name);
  if (forecast !== undefined) return forecast;
  throw new FleetError(
    'NOT_FOUND',
    `There is no forecast of the project ${quote(project.name)} yet. start_forecast makes one.`,
    { field: 'project', reason: 'no_forecast' },
  );
}

/** The forecast of a project whose repository is not on this machine. */
function withoutAgents({ clock }: FleetContext, project: string, agents: readonly AgentRecord[]): Forecast {
  return {
    project,
    state: 'done',
    order: [],
    merged: [],
    conflicts: [],
    checks: [],
    left_out: agents.map(({ name }) => name),
    as_of: new Date(clock.now().at).toISOString(),
  };
}

async function chosen(
  { lookup }: FleetContext,
  { project, agent_names }: ConflictsInput,
): Promise<readonly AgentRecord[]> {
  const named =
    agent_names === undefined
      ? (await lookup.records()).records
      : await Promise.all(agent_names.map(async (name) => (await lookup.host(name)).agent));
  if (project === undefined) return named;
  const { project: found } = await lookup.project(project);
  return named.filter((agent) => agent.project === found.name);
}
