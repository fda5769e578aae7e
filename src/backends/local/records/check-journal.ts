import { FleetError, storageError } from '../../../domain/values/errors.ts';
import { FLEET_ACTOR } from '../../../domain/principal.ts';
import { isAlive } from '../../../platform/processes/process-identity.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import { endUncertain, repairJournal } from '../../../runner/journal/repair-journal.ts';
import type { AgentRow } from './agent-rows.ts';
import type { LocalContext } from './local-context.ts';
import { creationFacts, type Origin } from './origin.ts';
import { agentPaths } from './paths.ts';

/** Throws when an agent's journal is not what the fleet has seen of it; `whole` looks at all of it. */
export function checkJournal(
  context: LocalContext,
  row: AgentRow,
  { journal, whole }: { readonly journal: Journal; readonly whole: boolean },
): void {
  const published = row.summary?.state;
  const { seq, queue } = journal.state();
  const lost = published !== undefined && published.seq > seq;
  if ((lost && seq === 0) || (whole && !journal.isSound()))
    throw storageError('journal_corrupt', agentPaths(context.home, row.workspace_id).journal);
  if (!lost) return;
  // Its last facts are gone. What they said of tasks is known from what was published of them.
  journal.restore([], published.seq);
  journal.append(FLEET_ACTOR, { kind: 'journal.mended', facts: seq, kept_as: null });
  endUncertain(
    journal,
    queue.filter((id) => !published.queue.includes(id)),
  );
}

/** From now on each look at the agent tries its journal first. A live runner has the journal, and finds out itself. */
export function noteDamage({ rows }: LocalContext, workspaceId: string, thrown: unknown): void {
  if (!(thrown instanceof FleetError) || thrown.details.reason !== 'journal_corrupt') return;
  try {
    const runner = rows.byId(workspaceId)?.runner ?? null;
    if (runner === null || !isAlive(runner)) rows.doubt(workspaceId);
  } catch {
    // Where the store cannot be written either, the next look finds the same.
  }
}

/** Rebuilds the journal of an agent from the facts that can be read. */
export function repairLocalJournal({ rows, clock }: LocalContext, row: AgentRow, file: string): void {
  const origin = rows.origin(row.workspace_id);
  if (origin === undefined) throw new FleetError('NOT_FOUND', `The agent "${row.name}" no longer exists.`);
  repairJournal(file, {
    clock,
    launch: origin.launch,
    origin,
    created: { by: origin.created_by, body: createdFact(origin) },
    known_seq: row.summary?.state.seq ?? 0,
  });
}

function createdFact(origin: Origin) {
  const [created] = creationFacts(origin);
  if (created === undefined) throw new Error('an agent begins with its creation');
  return created;
}
