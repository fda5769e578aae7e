import type { AgentRecord, Backend } from '../../backends/backend.ts';
import type { Merging } from '../../backends/merging.ts';
import { wasInterrupted, type Landing, type LandOptions } from '../../domain/merge/landing.ts';
import { actorOf } from '../../domain/principal.ts';
import { nameKey } from '../../domain/values/agent-name.ts';
import { errorOfBody, FleetError, quote } from '../../domain/values/errors.ts';
import type { FleetContext, Making, Waiting } from '../context/fleet-context.ts';
import { mergingOf } from './merging-of.ts';

export interface LandInput extends LandOptions {
  /** In the order in which they land. */
  readonly agent_names: readonly string[];
  readonly assign_to_agent: boolean;
  readonly delete_after: boolean;
}

export interface LandResult {
  readonly agent_name: string;
  readonly state: 'landed' | 'failed' | 'running';
  readonly land_id: string;
  readonly into: string | null;
  readonly before: string | null;
  readonly after: string | null;
  readonly message: string;
  /** Why it failed. */
  readonly error: FleetError | null;
}

/** Lands agents on a branch of their project, each on top of the one before. One that fails is left out. */
export async function landAgents(
  context: FleetContext,
  { agent_names, assign_to_agent, delete_after, ...options }: LandInput,
  rest: Making & Waiting,
): Promise<readonly LandResult[]> {
  const ids = new Map(agent_names.map((name) => [nameKey(name), rest.makeId(`land ${nameKey(name)}`)]));
  const known = await (await repeated(context, [...ids.values()]))?.landed([...ids.values()], rest);
  // One that was interrupted begins again.
  if (known !== undefined && !known.some(wasInterrupted)) return known.map(resultOf);
  const agents = await hostsOf(context, agent_names);
  const [first] = agents;
  if (first === undefined)
    throw new FleetError('INVALID_INPUT', 'Name at least one agent.', { field: 'agent_names' });
  for (const { backend, agent } of agents) await mergingOf(backend, agent);
  const merging = await mergingOf(first.backend, first.agent);
  const by = actorOf(rest.caller);
  const follows = assign_to_agent || delete_after;
  const landings = await merging.land(
    agents.map(({ agent }) => ({
      land_id: ids.get(nameKey(agent.name)) ?? rest.makeId(`land ${nameKey(agent.name)}`),
      agent,
      options,
      by: by.principal,
      follow_up: follows ? { assign_to_agent, delete_after, by, source: rest.caller.source } : null,
    })),
    rest,
  );
  return landings.map(resultOf);
}

/** For a call that was made before with its idempotency key: its agents may be gone since. */
async function repeated({ lookup }: FleetContext, ids: readonly string[]): Promise<Merging | undefined> {
  for (const backend of await lookup.backends()) {
    const merging = await backend.merging?.();
    if (merging !== undefined && ids.length > 0 && ids.every((id) => merging.landing(id) !== undefined))
      return merging;
  }
  return undefined;
}

/** A landing that failed is an error when it is the only one. */
export async function landAgent(
  context: FleetContext,
  input: LandInput,
  rest: Making & Waiting,
): Promise<LandResult> {
  const [result] = await landAgents(context, input, rest);
  if (result === undefined) throw new FleetError('INTERNAL_ERROR', 'Nothing was landed.');
  if (result.error !== null) throw result.error;
  return result;
}

export async function undoLand({ lookup }: FleetContext, land_id: string, waiting: Waiting) {
  for (const backend of await lookup.backends()) {
    const merging = await backend.merging?.();
    if (merging?.landing(land_id) !== undefined) return merging.undo(land_id, waiting);
  }
  throw new FleetError('NOT_FOUND', `There is no landing ${quote(land_id)}.`, { field: 'land_id' });
}

async function hostsOf(
  { lookup }: FleetContext,
  names: readonly string[],
): Promise<readonly { readonly backend: Backend; readonly agent: AgentRecord }[]> {
  const agents = await Promise.all(names.map((name) => lookup.host(name)));
  const twice = agents.find(
    ({ agent }, index) =>
      agents.findIndex((each) => each.agent.workspace_id === agent.workspace_id) !== index,
  );
  if (twice !== undefined)
    throw new FleetError('INVALID_INPUT', `The agent "${twice.agent.name}" is named twice.`, {
      field: 'agent_names',
    });
  return agents;
}

function resultOf(landing: Landing): LandResult {
  const { agent_name, state, land_id, into, before, after, message, error } = landing;
  const failure =
    state === 'failed'
      ? (errorOfBody(error) ?? new FleetError('SERVICE_UNAVAILABLE', message, { reason: 'interrupted' }))
      : null;
  return {
    agent_name,
    state: state === 'undone' ? 'landed' : state,
    land_id,
    into,
    before,
    after: state === 'failed' ? null : after,
    message:
      state === 'running'
        ? `The landing of agent '${agent_name}' is still running. ${message}`.trim()
        : message,
    error: failure,
  };
}
