import { withOwnedJournal } from '../records/with-owned-journal.ts';
import type { LocalContext } from '../records/local-context.ts';
import { agentPaths } from '../records/paths.ts';
import { refreshLocalAgent } from '../runner/refresh-agent.ts';
import { agentWork } from '../workspace/agent-work-of.ts';
import { gitFacts } from '../workspace/local-workspace.ts';

/** Lists show what an agent has changed: after its base has moved to its work, that is something else. A failure of that
 *  fails nothing: the next look at the agent counts again. */
export async function countAgain(context: LocalContext, workspace_id: string | undefined): Promise<void> {
  const { rows, home, clock } = context;
  if (workspace_id === undefined) return;
  const [row, origin] = [rows.byId(workspace_id), rows.origin(workspace_id)];
  if (row === undefined || origin === undefined || row.tombstone !== null) return;
  try {
    if (row.runner !== null) return await refreshLocalAgent(context, row, 0);
    const { plan, launch } = origin;
    const work = agentWork({ home, paths: agentPaths(home, workspace_id), plan, launch });
    await withOwnedJournal(context, row, async (journal) => {
      const facts = await gitFacts(plan, await work.look(() => {}));
      journal.setGit({ ...facts, as_of: new Date(clock.now().at).toISOString() });
    });
  } catch {
    // As said above.
  }
}
