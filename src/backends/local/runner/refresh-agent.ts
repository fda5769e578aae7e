import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { callRunner } from '../../../runner/api/http-runner-client.ts';
import type { AgentRecord } from '../../backend.ts';
import { hasLiveRunner } from '../records/with-owned-journal.ts';
import type { LocalContext } from '../records/local-context.ts';
import { agentPaths } from '../records/paths.ts';

const OLDER_THAN_MS = 2_000;
const WITHIN_MS = 1_000;
const ANSWER_LIMIT_MS = 1_500;

/** Asks a live runner to read git and the agent's Taskfile again. A failure of that does not fail the look. */
export async function refreshLocalAgent(
  context: LocalContext,
  agent: Pick<AgentRecord, 'workspace_id'>,
  older_than_ms = OLDER_THAN_MS,
): Promise<void> {
  const { home, rows } = context;
  const row = rows.byId(agent.workspace_id);
  if (row === undefined || row.unreachable_since !== null) return;
  if (!hasLiveRunner(context, agent.workspace_id)) return;
  const address = { socket: agentPaths(home, agent.workspace_id).socket, key: row.key };
  try {
    const request = { older_than_ms, within_ms: WITHIN_MS, by: FLEET_ACTOR };
    await callRunner(address, 'refresh', request, ANSWER_LIMIT_MS);
  } catch {
    // It is leaving, silent, or of an older version: what is stored is shown.
  }
}
