import type { AgentRecord } from '../../backends/backend.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import { deriveStatus } from '../../domain/status.ts';
import type { FleetContext } from '../context/fleet-context.ts';

export async function restartAgent({ lookup, clock }: FleetContext, name: string, caller: Caller) {
  const { backend, agent } = await lookup.host(name);
  const after = await backend.restart(agent, caller);
  const { status } = deriveStatus(after.state, after.observed, clock.now());
  return changed(after, status, `Agent '${agent.name}' restart initiated`);
}

export async function stopAgent({ lookup, clock }: FleetContext, name: string, caller: Caller) {
  const { backend, agent } = await lookup.host(name);
  const after = await backend.stop(agent, actorOf(caller));
  const { status } = deriveStatus(after.state, after.observed, clock.now());
  const done = status === 'stopped' || status === 'canceled';
  return changed(
    after,
    status,
    done ? `Agent '${agent.name}' is ${status}` : `Agent '${agent.name}' is stopping`,
  );
}

function changed<Status>({ name, workspace_id }: AgentRecord, status: Status, message: string) {
  return { agent_name: name, workspace_id, status, message };
}
