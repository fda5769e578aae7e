import type { AgentRecord, Backend } from '../../backends/backend.ts';
import type { Merging } from '../../backends/merging.ts';
import { FleetError } from '../../domain/values/errors.ts';

/** For work in a repository of this machine. */
export async function mergingOf(backend: Backend, agent: AgentRecord, instead: string): Promise<Merging> {
  const merging = await backend.merging?.();
  if (merging !== undefined) return merging;
  throw new FleetError(
    'INVALID_INPUT',
    `The repository of agent "${agent.name}" is not on this machine. ${instead}`,
    { field: 'agent_name', reason: 'not_local' },
  );
}
