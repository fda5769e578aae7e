import type { AgentRecord, Backend } from '../../backends/backend.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';

export interface AgentPlace {
  readonly agent: AgentRecord;
  readonly backend: Backend;
}

/** An agent, and the backend that it runs on. */
export async function agentPlace(opened: OpenedFleet, name: string): Promise<AgentPlace> {
  for (const backend of await opened.backends()) {
    const agent = await backend.find(name);
    if (agent !== undefined) return { agent, backend };
  }
  // Reports which agents there are, or why the configuration cannot be used.
  await opened.fleet.showAgent(name);
  throw new FleetError('CONFLICT', `The agent "${name}" was created just now. Try again.`, {
    field: 'agent_name',
  });
}
