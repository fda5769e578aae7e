import type { Kept } from '../../backends/backend.ts';
import type { AgentView } from '../../domain/agent.ts';
import { actorOf, type Caller } from '../../domain/principal.ts';
import { checkAgentName } from '../../domain/values/agent-name.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import type { FleetContext } from '../context/fleet-context.ts';
import { showView } from '../reading/agent-view.ts';

const NOTHING_KEPT: Kept = { kept: [], problems: [] };

/** What is kept of deleted agents, newest first, in all backends that keep something themselves. */
export async function listKept({ lookup }: FleetContext): Promise<Kept> {
  const backends = await lookup.backends();
  const found = await Promise.all(backends.map(async (backend) => (await backend.kept?.()) ?? NOTHING_KEPT));
  return {
    kept: found.flatMap(({ kept }) => kept).toSorted((a, b) => b.deleted_at.localeCompare(a.deleted_at)),
    problems: found.flatMap(({ problems }) => problems),
  };
}

export async function restoreAgent(
  { lookup, clock }: FleetContext,
  { workspace_id, name }: { readonly workspace_id: string; readonly name?: string | undefined },
  caller: Caller,
): Promise<AgentView> {
  if (name !== undefined) checkAgentName(name);
  for (const backend of await lookup.backends()) {
    const agent = await backend.restore?.({
      workspace_id,
      name,
      by: actorOf(caller),
      checkFree: (wanted) => lookup.checkFree(wanted, backend),
    });
    if (agent !== undefined) return showView(agent, clock.now());
  }
  throw new FleetError(
    'NOT_FOUND',
    `Nothing is kept of an agent with the workspace id ${quote(workspace_id)}. list_kept shows what is.`,
    { field: 'workspace_id' },
  );
}
