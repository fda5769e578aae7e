import type { AgentDiff, DiffRequest } from '../../domain/diff/agent-diff.ts';
import { FleetError } from '../../domain/values/errors.ts';
import type { FleetContext } from '../context/fleet-context.ts';

export async function agentDiff(
  { lookup }: FleetContext,
  name: string,
  request: DiffRequest,
): Promise<AgentDiff & { readonly name: string }> {
  const { backend, agent } = await lookup.find(name);
  if (backend.diff === undefined)
    throw new FleetError(
      'INVALID_INPUT',
      `The work of agent "${agent.name}" is not on this machine. Run git diff in its workspace.`,
      { field: 'agent_name', reason: 'not_local' },
    );
  return { name: agent.name, ...(await backend.diff(agent, request)) };
}
