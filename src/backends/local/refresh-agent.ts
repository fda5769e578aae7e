import { FLEET_ACTOR } from '../../domain/principal.ts';
import { callRunner } from '../../runner/http-runner-client.ts';
import { taskfileOf } from '../../runner/metadata/taskfile-of.ts';
import type { AgentRecord } from '../backend.ts';
import { hasLiveRunner } from './attend.ts';
import type { LocalContext } from './local-context.ts';
import { agentPaths } from './paths.ts';

const OLDER_THAN_MS = 2_000;
const WITHIN_MS = 3_000;
const ANSWER_LIMIT_MS = 3_500;

/** Asks a live runner to make what the agent's Taskfile says new. What goes wrong is no failure of the look. */
export async function refreshLocalAgent(context: LocalContext, agent: AgentRecord): Promise<void> {
  const { home, rows } = context;
  const row = rows.byId(agent.workspace_id);
  const plan = rows.origin(agent.workspace_id)?.plan;
  if (row === undefined || plan === undefined || row.unreachable_since !== null) return;
  if (agent.listed.collected_at === null && taskfileOf(plan.directory) === undefined) return;
  if (!hasLiveRunner(context, agent.workspace_id)) return;
  const address = { socket: agentPaths(home, agent.workspace_id).socket, key: row.key };
  try {
    const request = { older_than_ms: OLDER_THAN_MS, within_ms: WITHIN_MS, by: FLEET_ACTOR };
    await callRunner(address, 'refresh', request, ANSWER_LIMIT_MS);
  } catch {
    // It is leaving, silent, or of an older version: what is stored is shown.
  }
}
