import type { AgentRecord } from '../../backends/backend.ts';
import type { WorkspaceAccess } from '../../backends/workspace-access.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { agentPlace, type AgentPlace } from './agent-place.ts';

export interface LocalAgent {
  readonly agent: AgentRecord;
  readonly workspaces: WorkspaceAccess;
}

/** An agent whose workspace is on this machine. `what` is the command that needs it. */
export async function localAgent(opened: OpenedFleet, name: string, what: string): Promise<LocalAgent> {
  return onThisMachine(await agentPlace(opened, name), what);
}

export function onThisMachine({ agent, backend }: AgentPlace, what: string): LocalAgent {
  const { workspaces } = backend;
  if (workspaces !== undefined) return { agent, workspaces };
  const where = backend.elsewhere?.(agent.name) ?? `on the backend "${backend.name}".`;
  throw new FleetError(
    'INVALID_INPUT',
    `${what} is for agents of this machine, and "${agent.name}" is ${where}`,
    { field: 'agent_name', reason: 'not_local' },
  );
}
