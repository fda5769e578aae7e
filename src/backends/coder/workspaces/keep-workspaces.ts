import type { Instant } from '../../../domain/status.ts';
import type { AgentRecord } from '../../backend.ts';
import { learnFailure } from './builds.ts';
import type { CoderContext } from '../model/coder-context.ts';
import { reportsOf } from '../model/app-reports.ts';
import { noteOf } from '../model/app-status.ts';
import type { Workspace } from '../model/workspace-schema.ts';
import { runnerStatus } from '../model/workspace-state.ts';

export interface Kept {
  readonly agent: AgentRecord;
  readonly workspace: Workspace;
  /** Brings the copy of the journal up to date. */
  hear(): Promise<unknown>;
}

/** A busy agent is given this long again when less is left. */
const EXTEND_MS = 2 * 3_600_000;
const LEAST_LEFT_MS = 1_800_000;
const HEARD_AT_ONCE = 4;

/** What `fleet serve` does for agents on Coder: reads the news of runners, learns why builds failed, and keeps
 *  workspaces of busy agents from being stopped. */
export async function keepWorkspaces(
  context: CoderContext,
  all: readonly Kept[],
  now: Instant,
): Promise<void> {
  const behind = all.filter((each) => isBehind(context, each));
  for (let first = 0; first < behind.length; first += HEARD_AT_ONCE)
    await Promise.all(behind.slice(first, first + HEARD_AT_ONCE).map((each) => each.hear().catch(() => {})));
  for (const each of all) {
    await learnFailure(context, each.workspace);
    await extend(context, each, now);
  }
}

/** True when the runner has reported facts that were not read yet, or the agent has sent reports to Coder. */
function isBehind({ rows, mirror }: CoderContext, { workspace }: Kept): boolean {
  const { latest_app_status: status, latest_build } = workspace;
  if (latest_build.status !== 'running' || status === null || status === undefined) return false;
  const row = rows.byId(workspace.id);
  if (row?.origin?.agentapi !== undefined)
    return Date.parse(status.created_at) > Date.parse(row.heard_at ?? row.origin.created_at);
  const note = noteOf(runnerStatus(workspace)?.uri ?? '');
  if (note === undefined) return false;
  return (
    note.seq > (row?.summary?.state.seq ?? 0) || mirror.lacks(workspace.id, reportsOf(workspace)).length > 0
  );
}

async function extend({ client }: CoderContext, { agent, workspace }: Kept, now: Instant): Promise<void> {
  const { deadline, status } = workspace.latest_build;
  const busy = agent.state.running !== null || agent.state.queue.length > 0;
  if (!busy || status !== 'running' || deadline === null || deadline === undefined) return;
  if (Date.parse(deadline) - now.at > LEAST_LEFT_MS) return;
  const body = { deadline: new Date(now.at + EXTEND_MS).toISOString() };
  // One that may not be extended is stopped when its time has come: that is the template's word.
  await client
    .tell(`/workspaces/${workspace.id}/extend`, { method: 'PUT', body, safe: true })
    .catch(() => {});
}
