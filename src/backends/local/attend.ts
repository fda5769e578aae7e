import { existsSync, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../domain/errors.ts';
import { isAlive, signalProcess } from '../../platform/process-identity.ts';
import type { Journal } from '../../runner/journal.ts';
import { ownJournal } from '../../runner/own-journal.ts';
import { publishJournal } from '../../runner/publisher.ts';
import { isDoubted, type AgentRow } from './agent-rows.ts';
import { checkJournal, mendLocalJournal } from './check-journal.ts';
import type { LocalContext } from './local-context.ts';
import { creationFacts } from './origin.ts';
import { agentPaths } from './paths.ts';
import { StorePublisher } from './store-publisher.ts';

const LEASE_PATIENCE_MS = 5_000;

interface Work<Result> {
  (journal: Journal): Result | Promise<Result>;
}

/** Works on the journal of an agent that has no live runner. Undefined when one has it: then ask that one. */
export async function attend<Result>(
  context: LocalContext,
  row: AgentRow,
  work: Work<Result>,
): Promise<{ result: Result } | undefined> {
  return attendWithin(context, row, { patience_ms: LEASE_PATIENCE_MS, work });
}

/** As `attend`; a journal that is damaged is made anew first, from what can be read of it. */
export async function attendMending<Result>(
  context: LocalContext,
  row: AgentRow,
  work: Work<Result>,
): Promise<{ result: Result } | undefined> {
  const mend = (file: string): void => mendLocalJournal(context, row, file);
  return attendWithin(context, row, { patience_ms: LEASE_PATIENCE_MS, work, mend });
}

interface Attendance<Result> {
  /** How long to wait for somebody else who has the journal. */
  readonly patience_ms: number;
  readonly work: Work<Result>;
  readonly mend?: (file: string) => void;
}

async function attendWithin<Result>(
  context: LocalContext,
  row: AgentRow,
  { patience_ms, work, mend }: Attendance<Result>,
): Promise<{ result: Result } | undefined> {
  if (context.rows.byId(row.workspace_id) === undefined) throw noAgent(row);
  const { directory } = agentPaths(context.home, row.workspace_id);
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const until = performance.now() + patience_ms;
  const owned = await ownJournal({
    directory,
    workspace_id: row.workspace_id,
    clock: context.clock,
    waitFor: () => performance.now() < until && !hasLiveRunner(context, row.workspace_id),
    check: (journal) =>
      checkJournal(context, row, { journal, whole: mend !== undefined || isDoubted(latest(context, row)) }),
    ...(mend === undefined ? {} : { mend }),
  }).catch((thrown: unknown) => {
    // Whoever deleted it took its directory away while this one waited.
    throw isArchived(context, row) ? noAgent(row) : thrown;
  });
  if (owned === undefined) return undefined;
  using held = owned;
  context.rows.markUnpublished(row.workspace_id);
  ensureCreated(context, row, held.journal);
  try {
    return { result: await work(held.journal) };
  } finally {
    publishJournal(held.journal, new StorePublisher(context.store, row), context.clock);
    const { runner } = mend === undefined ? row : latest(context, row);
    if (runner !== null) context.rows.clearRunner(row.workspace_id, runner);
  }
}

function latest({ rows }: LocalContext, row: AgentRow): AgentRow {
  return rows.byId(row.workspace_id) ?? row;
}

/** Sweeps what a dead runner left behind and records its end; afterwards the summary tells the truth. Whoever has an
 *  unpublished journal in their hands will publish it: nobody waits for that. */
export async function repair(context: LocalContext, row: AgentRow): Promise<void> {
  const patience_ms = row.runner === null ? 0 : LEASE_PATIENCE_MS;
  await attendWithin(context, row, { patience_ms, work: () => {} });
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
  return new FleetError('NOT_FOUND', `There is no agent "${name}" any more.`, { field: 'agent_name' });
}

/** Waits for a runner that was asked to end; one that does not is killed. */
export async function awaitExit(row: AgentRow, patience_ms: number): Promise<void> {
  if (row.runner === null) return;
  const until = performance.now() + patience_ms;
  while (isAlive(row.runner)) {
    if (performance.now() > until) signalProcess(row.runner, 'SIGKILL');
    await delay(15);
  }
}
