import { existsSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError, quote } from '../../../domain/values/errors.ts';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { identify, isAlive } from '../../../platform/processes/process-identity.ts';
import { summaryOf } from '../../../runner/journal/publisher.ts';
import type { RestoreRequest } from '../../backend.ts';
import type { AgentRow, Tombstone } from '../records/agent-rows.ts';
import { readArchive, SIZE_NOTE, type Archive } from './archives.ts';
import { withRepairedJournal } from '../records/with-owned-journal.ts';
import { deleteLocalAgent } from './delete-agent.ts';
import { forgetKept } from './forget-kept.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { showAgain } from '../repository/show-again.ts';

/** Brings a deleted agent back from the archive, stopped. Undefined when there is no archive of it.
 *
 *  Until the last step the agent has a tombstone, as while it was deleted: a restore that is cut off anywhere is a deletion
 *  that was cut off, and the next process that finishes those puts the agent back into the archive. The last step takes the tombstone
 *  away, and nothing is left to do after it. */
export async function restoreLocalAgent(
  context: LocalContext,
  request: RestoreRequest,
): Promise<AgentRow | undefined> {
  const there = await settled(context, request);
  if (there !== undefined) return there;
  const archive = readArchive(agentPaths(context.home, request.workspace_id).archive, request.workspace_id);
  if (archive === undefined) return undefined;
  const origin = restoredOrigin(archive, request.name);
  await request.checkFree(origin.launch.name);
  const tombstone: Tombstone = {
    by: request.by,
    at: new Date(context.clock.now().at).toISOString(),
    discard_work: false,
    deleter: identify(process.pid) ?? null,
  };
  if (!context.rows.insert(origin, tombstone)) throw taken(context, origin);
  const row = rowOf(context, request.workspace_id);
  try {
    await bringBack(context, row, { origin, request });
  } catch (thrown) {
    await putBack(context, row);
    throw thrown;
  }
  context.rows.unbury(request.workspace_id);
  return rowOf(context, request.workspace_id);
}

/** The agent when it is there. A deletion, or a restore, that was cut off is ended first. */
async function settled(context: LocalContext, { workspace_id, name }: RestoreRequest) {
  const row = context.rows.byId(workspace_id);
  if (row === undefined) return undefined;
  if (row.tombstone === null) {
    if (name === undefined || name === row.name) return row;
    throw new FleetError(
      'CONFLICT',
      `The agent ${quote(workspace_id)} is there, and is called "${row.name}". Only a deleted agent can get another name.`,
      { field: 'name', reason: 'not_deleted' },
    );
  }
  const { by, discard_work, deleter } = row.tombstone;
  if (deleter !== null && isAlive(deleter))
    throw new FleetError('CONFLICT', `The agent "${row.name}" is being deleted or restored. Try again.`, {
      reason: 'agent_deleting',
    });
  await deleteLocalAgent(context, row, { by, discard_work, ...QUIET });
  return undefined;
}

const QUIET = { signal: new AbortController().signal, progress: () => {} };

function restoredOrigin(archive: Archive, name: string | undefined): Origin {
  const { origin, has_workspace, path } = archive;
  if (origin === null || !has_workspace) {
    throw new FleetError(
      'CONFLICT',
      'The workspace of this agent was discarded, or an older version removed it: there is nothing to restore. If fleet ' +
        'kept shows a branch of it, create a branch from that: git switch -c NAME fleet-kept/…',
      { field: 'workspace_id', reason: 'workspace_gone' },
    );
  }
  const { launch, plan } = origin;
  if (plan.clone === undefined) {
    throw new FleetError(
      'CONFLICT',
      `The agent "${launch.name}" was made by an older version and worked in a git worktree, which cannot be restored. Its ` +
        `files are in ${join(path, 'work')}, and its work is on the branch that fleet kept shows: git switch -c NAME fleet-kept/…`,
      { field: 'workspace_id', reason: 'made_by_older_version' },
    );
  }
  if (name === undefined || name === launch.name) return origin;
  // The branch in its own repository keeps its name: it is checked out there.
  const published_as = plan.clone.published_as.replace(/[^/]*$/, name);
  return {
    ...origin,
    launch: { ...launch, name },
    plan: { ...plan, clone: { ...plan.clone, published_as } },
  };
}

interface Return {
  readonly origin: Origin;
  readonly request: RestoreRequest;
}

async function bringBack(context: LocalContext, row: AgentRow, { origin, request }: Return): Promise<void> {
  const { directory, archive } = agentPaths(context.home, row.workspace_id);
  renameSync(archive, directory);
  rmSync(join(directory, SIZE_NOTE), { force: true });
  const done = await withRepairedJournal(context, row, (journal, publisher) => {
    // The events of its first life were published then.
    publisher.publish(summaryOf(journal), []);
    journal.setLaunch(origin.launch, origin);
    journal.append(request.by, { kind: 'agent.restored', name: origin.launch.name });
  });
  if (done === undefined)
    throw new FleetError('SERVICE_UNAVAILABLE', `The journal of agent "${row.name}" is in use. Try again.`, {
      reason: 'runner_unreachable',
    });
  await forgetKept(context.home, origin, directory);
  await showAgain(context.home, origin);
}

/** An agent that cannot be put back now is put back by the next process that finishes deletions. */
async function putBack(context: LocalContext, row: AgentRow): Promise<void> {
  try {
    const { directory } = agentPaths(context.home, row.workspace_id);
    if (!existsSync(directory)) return context.rows.remove(row.workspace_id);
    await deleteLocalAgent(context, row, { by: FLEET_ACTOR, discard_work: false, ...QUIET });
  } catch {
    const now = context.rows.byId(row.workspace_id);
    if (now?.tombstone != null) context.rows.bury(row.workspace_id, { ...now.tombstone, deleter: null });
  }
}

function rowOf({ rows }: LocalContext, workspaceId: string): AgentRow {
  const row = rows.byId(workspaceId);
  if (row === undefined)
    throw new FleetError('CONFLICT', 'The agent was deleted again while it was restored.');
  return row;
}

function taken({ rows }: LocalContext, { launch }: Origin): FleetError {
  if (rows.byId(launch.workspace_id) !== undefined)
    return new FleetError('CONFLICT', `The agent "${launch.name}" is being restored by another call.`, {
      reason: 'agent_deleting',
    });
  return new FleetError(
    'CONFLICT',
    `There is an agent ${quote(launch.name)} already. Restore it under another name.`,
    { field: 'name', reason: 'name_taken' },
  );
}
