import type { AgentRecord, Backend } from '../../backends/backend.ts';
import type { Merging } from '../../backends/merging.ts';
import { FleetError } from '../../domain/values/errors.ts';

/** For work in a repository of this machine. */
export async function mergingOf(backend: Backend, agent: AgentRecord): Promise<Merging> {
  const merging = await backend.merging?.();
  if (merging !== undefined) return merging;
  throw new FleetError(
    'INVALID_INPUT',
    `The repository of agent "${agent.name}" is not on this machine, so that Fleet cannot land its work. Publish it, then merge its pull request on the forge: fleet publish ${agent.name}`,
    { field: 'agent_name', reason: 'not_local' },
  );
}
