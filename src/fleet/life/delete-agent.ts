import { actorOf, type Caller } from '../../domain/principal.ts';
import type { FleetContext, Waiting } from '../context/fleet-context.ts';

export async function deleteAgent(
  { lookup }: FleetContext,
  input: { readonly agent_name: string; readonly discard_work: boolean },
  { caller, ...rest }: Waiting & { readonly caller: Caller },
) {
  const { backend, agent } = await lookup.host(input.agent_name);
  const { kept, notes, gone } = await backend.delete(agent, {
    discard_work: input.discard_work,
    by: actorOf(caller),
    ...rest,
  });
  const on = kept.length === 1 ? 'the branch' : 'the branches';
  const work = [...(kept.length === 0 ? [] : [`its work is kept on ${on} ${kept.join(', ')}`]), ...notes]
    .map((each) => `; ${each}`)
    .join('');
  return {
    agent_name: agent.name,
    workspace_id: agent.workspace_id,
    message: gone
      ? `Agent '${agent.name}' deleted successfully${work}`
      : `Agent '${agent.name}' is still being deleted${work}`,
    kept: kept[0] ?? null,
  };
}
