import { existsSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/values/errors.ts';
import { isAlive, signalProcess } from '../../../platform/processes/process-identity.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import { ownJournal } from '../../../runner/own-journal.ts';
import { publishJournal, type Publisher } from '../../../runner/journal/publisher.ts';
import { isDoubted, type AgentRow } from './agent-rows.ts';
import { checkJournal, repairLocalJournal } from './check-journal.ts';
import type { LocalContext } from './local-context.ts';
import { creationFacts } from './origin.ts';
import { agentPaths } from './paths.ts';
import { StorePublisher } from './store-publisher.ts';

const LEASE_WAIT_MS = 5_000;

interface Work<Result> {
  (journal: Journal, publisher: Publisher): Result | Promise<Result>;
}

/** Works on the journal of an agent that has no live runner. Undefined when one has it: then ask that one. */
export async function withOwnedJournal<Result>(
  context: LocalContext,
  row: AgentRow,
  work: Work<Result>,
): Promise<{ result: Result } | undefined> {
  return workOnJournal(context, row, { lock_wait_ms: LEASE_WAIT_MS, work });
}

/** As `withOwnedJournal`; a damaged journal is repaired first, from the facts that can be read. */
export async function withRepairedJournal<Result>(
  context: LocalContext,
  row: AgentRow,
  work: Work<Result>,
): Promise<{ result: Result } | undefined> {
  const repair = (file: string): void => repairLocalJournal(context, row, file);
  return workOnJournal(context, row, { lock_wait_ms: LEASE_WAIT_MS, work, repair });
}

interface JournalWork<Result> {
  /** How long to wait for somebody else who has the journal. */
  readonly lock_wait_ms: number;
  readonly work: Work<Result>;
  readonly repair?: (file: string) => void;
}

async function workOnJournal<Result>(
  context: LocalContext,
  row: AgentRow,
  { lock_wait_ms, work, repair }: JournalWork<Result>,
): Promise<{ result: Result } | undefined> {
  if (context.rows.byId(row.workspace_id) === undefined) throw noAgent(row);
  const { directory } = agentPaths(context.home, row.workspace_id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const until = performance.now() + lock_wait_ms;
  const owned = await ownJournal({
    directory,
    workspace_id: row.workspace_id,
    clock: context.clock,
    waitFor: () => performance.now() < until && !hasLiveRunner(context, row.workspace_id),
    check: (journal) =>
      checkJournal(context, row, { journal, whole: repair !== undefined || isDoubted(latest(context, row)) }),
    ...(repair === undefined ? {} : { repair }),
  }).catch((thrown: unknown) => {
    // A deletion took its directory away while this process waited.
    throw isArchived(context, row) ? noAgent(row) : thrown;
  });
  if (owned === undefined) return undefined;
  using held = owned;
  context.rows.markUnpublished(row.workspace_id);
  ensureCreated(context, row, held.journal);
  const publisher = new StorePublisher(context.store, row);
  try {
    return { result: await work(held.journal, publisher) };
  } finally {
    publishJournal({ journal: held.journal, publisher, clock: context.clock });
    const { runner } = repair === undefined ? row : latest(context, row);
    if (runner !== null) context.rows.clearRunner(row.workspace_id, runner);
  }
}

function latest({ rows }: LocalContext, row: AgentRow): AgentRow {
  return rows.byId(row.workspace_id) ?? row;
}

/** Sweeps what a dead runner left behind and records its end; afterwards the summary tells the truth. A process that
 *  holds an unpublished journal publishes it: nobody waits for that. */
export async function repair(context: LocalContext, row: AgentRow): Promise<void> {
  const lock_wait_ms = row.runner === null ? 0 : LEASE_WAIT_MS;
  await workOnJournal(context, row, { lock_wait_ms, work: () => {} });
}

/** True when the registered runner is gone without a goodbye, or somebody wrote to the journal and may be gone. */
export function needsRepair(row: AgentRow): boolean {
  return row.runner === null ? row.unpublished : !isAlive(row.runner);
}

export function hasLiveRunner({ rows }: LocalContext, workspaceId: string): boolean {
  const runner = rows.byId(workspaceId)?.runner;
  return runner !== undefined && runner !== null && isAlive(runner);
}

/** The first to hold a new journal writes down what the agent was made with. */
export function ensureCreated({ rows }: LocalContext, row: AgentRow, journal: Journal): void {
  if (journal.state().seq > 0) return;
  const origin = rows.origin(row.workspace_id);
  if (origin === undefined) throw noAgent(row);
  journal.setLaunch(origin.launch, origin);
  journal.append(origin.created_by, ...creationFacts(origin));
}

/** True when nothing but the agent's row is left of it. */
export function isArchived({ home }: LocalContext, { workspace_id }: AgentRow): boolean {
  const { archive, journal } = agentPaths(home, workspace_id);
  return existsSync(archive) && !existsSync(journal);
}

function noAgent({ name }: AgentRow): FleetError {
  return new FleetError('NOT_FOUND', `The agent "${name}" no longer exists.`, { field: 'agent_name' });
}

/** Waits for a runner that was asked to end; one that does not is killed. */
export async function awaitExit(row: AgentRow, wait_ms: number): Promise<void> {
  if (row.runner === null) return;
  const until = performance.now() + wait_ms;
  while (isAlive(row.runner)) {
    if (performance.now() > until) signalProcess(row.runner, 'SIGKILL');
    await delay(15);
  }
}
