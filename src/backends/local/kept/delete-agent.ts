import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/values/errors.ts';
import { removeProcessGroups } from '../../../platform/processes/process-group.ts';
import { identify } from '../../../platform/processes/process-identity.ts';
import { callRunner, RunnerAbsent } from '../../../runner/api/http-runner-client.ts';
import { JournalReader } from '../../../runner/journal/journal-reader.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import { TaskCommands } from '../../../runner/task-commands.ts';
import type { Deleted, DeleteOptions } from '../../backend.ts';
import { readerMarker } from '../reading/reader.ts';
import type { AgentRow, Tombstone } from '../records/agent-rows.ts';
import { withRepairedJournal, awaitExit, isArchived } from '../records/with-owned-journal.ts';
import { forgetKept } from './forget-kept.ts';
import { keepWork, keptBefore, type KeptWork } from './keep-work.ts';
import type { LocalContext } from '../records/local-context.ts';
import type { Origin } from '../records/origin.ts';
import { agentPaths } from '../records/paths.ts';
import { withdraw } from './withdraw.ts';
import { agentRefs, fleetRepositoryPath } from '../repository/fleet-repository.ts';
import { refAt } from '../repository/take-over.ts';
import type { WorkOf } from '../workspace/agent-work-of.ts';
import { wasMade } from '../workspace/local-workspace.ts';

const END_WAIT_MS = 3_000;
const ALONE_WAIT_MS = 30_000;

/** Deletes an agent: a tombstone first, then steps that the next process can repeat without harm. */
export async function deleteLocalAgent(
  context: LocalContext,
  row: AgentRow,
  options: DeleteOptions,
): Promise<Deleted> {
  checkNotNewer(context, row);
  const tombstone: Tombstone = {
    by: options.by,
    at: new Date(context.clock.now().at).toISOString(),
    discard_work: options.discard_work,
    deleter: identify(process.pid) ?? null,
  };
  context.rows.bury(row.workspace_id, tombstone);
  options.progress(`ending what agent ${row.name} runs`);
  const { archive: archived } = agentPaths(context.home, row.workspace_id);
  try {
    const kept = await removeWhenAlone(context, row, options);
    putAway(context, row);
    return { kept: kept.branches, notes: kept.notes, gone: true };
  } catch (thrown) {
    const now = context.rows.byId(row.workspace_id);
    // Of two that delete one agent at once, the other was quicker, or is just about to be done.
    if (isArchived(context, row)) putAway(context, row);
    if (now === undefined || isArchived(context, row))
      return { kept: keptBefore(archived), notes: [], gone: true };
    // This process may live long: the next one to delete the agent need not wait for its end.
    if (now.tombstone !== null) context.rows.bury(row.workspace_id, { ...now.tombstone, deleter: null });
    throw thrown;
  }
}

/** What a newer Fleet wrote stays untouched: no tombstone is set that this one could not follow. */
function checkNotNewer(context: LocalContext, row: AgentRow): void {
  try {
    JournalReader.open(agentPaths(context.home, row.workspace_id).journal)?.[Symbol.dispose]();
  } catch (thrown) {
    if (thrown instanceof FleetError && thrown.details.reason === 'newer_state') throw thrown;
  }
}

/** A runner may be starting at this very moment, and is asked again when it listens. */
async function removeWhenAlone(
  context: LocalContext,
  row: AgentRow,
  options: DeleteOptions,
): Promise<KeptWork> {
  const until = performance.now() + ALONE_WAIT_MS;
  while (performance.now() < until) {
    await endRunner(context, row, options);
    if (isArchived(context, row))
      return { branches: keptBefore(agentPaths(context.home, row.workspace_id).archive), notes: [] };
    const done = await withRepairedJournal(context, row, (journal) =>
      removeWorkspace(context, { row, journal, options }),
    );
    if (done !== undefined) return done.result;
    await delay(50);
  }
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner of agent "${row.name}" keeps coming back while it is deleted. Try again.`,
    { reason: 'runner_unreachable' },
  );
}

async function endRunner(context: LocalContext, row: AgentRow, { by }: DeleteOptions): Promise<void> {
  const address = { socket: agentPaths(context.home, row.workspace_id).socket, key: row.key };
  try {
    await callRunner(address, 'end', { kind: 'delete', by }, END_WAIT_MS);
  } catch (thrown) {
    if (!(thrown instanceof FleetError) && !(thrown instanceof RunnerAbsent)) throw thrown;
  }
  const now = context.rows.byId(row.workspace_id);
  if (now !== undefined) await awaitExit(now, END_WAIT_MS);
}

interface Removal {
  readonly row: AgentRow;
  readonly journal: Journal;
  readonly options: DeleteOptions;
}

/** Keeps the work on a branch, as far as it can be read; the workspace itself goes into the archive as it is.
 *  When the project's repository cannot take the branch, the agent stays, stopped. */
async function removeWorkspace(context: LocalContext, { row, journal, options }: Removal): Promise<KeptWork> {
  const origin = context.rows.origin(row.workspace_id) ?? (journal.origin() as Origin);
  const paths = agentPaths(context.home, row.workspace_id);
  const work = { home: context.home, paths, ...origin };
  if (journal.state().phase !== 'deleting') journal.append(options.by, { kind: 'agent.deleting' });
  let kept: KeptWork = { branches: [], notes: [] };
  if (!options.discard_work && (wasMade(paths.directory) || (await wasTakenOver(work)))) {
    options.progress('keeping work that is not pushed');
    try {
      kept = await keepWork(work);
    } catch (thrown) {
      // The agent goes on: what was found of its work until now is not all of it.
      await forgetKept(context.home, origin, paths.directory).catch(() => {});
      journal.append(options.by, { kind: 'agent.stopped' });
      context.rows.unbury(row.workspace_id);
      throw thrown;
    }
  }
  new TaskCommands(journal).cancelQueue(options.by);
  options.progress(options.discard_work ? 'removing the workspace' : 'moving the workspace to the archive');
  await withdraw(work, options.discard_work);
  journal.append(options.by, { kind: 'agent.deleted' });
  return kept;
}

/** Whether Fleet's repository has work of an agent whose directory somebody has removed. */
async function wasTakenOver({ home, plan, launch }: WorkOf): Promise<boolean> {
  if (plan.clone === undefined) return false;
  const { branch } = agentRefs(launch.workspace_id);
  return (await refAt(fleetRepositoryPath(home, plan.clone.lender), branch)) !== null;
}

/** One move takes the journal and the workspace to the archive, and nothing has to be looked at for it. */
function putAway(context: LocalContext, row: AgentRow): void {
  const paths = agentPaths(context.home, row.workspace_id);
  mkdirSync(dirname(paths.archive), { recursive: true, mode: 0o700 });
  for (const socket of [paths.socket, paths.selfSocket]) rmSync(socket, { force: true });
  removeProcessGroups(readerMarker(row.workspace_id));
  // A second deletion of the same agent, a moment later, finds nothing worth archiving.
  if (existsSync(paths.archive)) rmSync(paths.directory, { recursive: true, force: true });
  else if (existsSync(paths.directory)) renameSync(paths.directory, paths.archive);
  context.rows.remove(row.workspace_id);
}
