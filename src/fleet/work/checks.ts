import { actorOf } from '../../domain/principal.ts';
import type { ShownChecks } from '../../domain/review/shown-checks.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext, Making, Waiting } from '../context/fleet-context.ts';

export async function agentChecks({ lookup }: FleetContext, name: string) {
  const { backend, agent } = await lookup.find(name);
  if (backend.checks === undefined) throw notHere(agent.name);
  return answerOf(agent.name, await backend.checks(agent));
}

export interface CheckInput {
  readonly agent_name: string;
  readonly names?: readonly string[] | undefined;
  readonly again: boolean;
}

export async function checkAgent(
  { lookup }: FleetContext,
  { agent_name, names, again }: CheckInput,
  { caller, makeId, signal, progress }: Making & Waiting,
) {
  const { backend, agent } = await lookup.host(agent_name);
  if (backend.check === undefined) throw notHere(agent.name);
  const shown = await backend.check(agent, {
    run_id: makeId('check'),
    names,
    again,
    for_agent: caller.principal.kind === 'agent',
    by: actorOf(caller),
    signal,
    progress,
  });
  return answerOf(agent.name, shown);
}

function answerOf(agent_name: string, { commit, state, checks }: ShownChecks) {
  return { agent_name, commit, state, checks: [...checks] };
}

function notHere(name: string): FleetError {
  return new FleetError(
    'INVALID_INPUT',
    `The work of agent "${name}" is not on this machine, and Fleet runs checks only here. Run them in its workspace, or by the CI of its pull request.`,
    { field: 'agent_name', reason: 'not_local' },
  );
}
