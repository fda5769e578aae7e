import { existsSync, readdirSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Clock } from '../../domain/clock.ts';
import type { Fact, FactBody } from '../../domain/fact.ts';
import type { Launch } from '../../domain/launch.ts';
import { FLEET_ACTOR, type Actor } from '../../domain/principal.ts';
import { readableRows } from '../../platform/database/readable-rows.ts';
import { damagedName, removeDatabase, replaceDatabase } from '../../platform/database/replace-database.ts';
import { detailedLogOfRow, factOfRow } from './journal-rows.ts';
import { Journal } from './journal.ts';

export interface RepairOptions {
  readonly clock: Clock;
  readonly launch: Launch;
  readonly origin: unknown;
  /** The first fact, for a journal of which nothing can be read. */
  readonly created: { readonly by: Actor; readonly body: FactBody };
  /** How far the journal had come, as far as anybody knows. */
  readonly known_seq: number;
}

/** Creates a new journal from the beginning of a damaged one, up to what cannot be read. The damaged one is kept. Tasks
 *  that wait in what was read may have run since: they end, because no task runs twice. */
export function repairJournal(file: string, options: RepairOptions): void {
  const source = sourceOf(file);
  const kept = damagedName(file);
  const fresh = `${file}.new`;
  removeDatabase(fresh);
  const facts = readableFacts(source);
  {
    using journal = new Journal(fresh, options.clock);
    journal.setLaunch(options.launch, options.origin);
    journal.restore(facts, 0);
    if (facts.length === 0) journal.append(options.created.by, options.created.body);
    journal.restore([], options.known_seq);
    journal.append(FLEET_ACTOR, {
      kind: 'journal.mended',
      facts: facts.length,
      kept_as: existsSync(file) ? kept : source,
    });
    restoreLog(journal, source);
    endUncertain(journal, journal.state().queue);
    journal.gather();
  }
  replaceDatabase(file, fresh, kept);
}

/** Ends tasks of which nobody knows whether they ran. */
export function endUncertain(journal: Journal, tasks: readonly string[]): void {
  for (const task_id of tasks) {
    journal.append(FLEET_ACTOR, {
      kind: 'task.ended',
      task_id,
      state: 'interrupted',
      reason: 'the journal was damaged, and it is not known whether the task ran; give it again',
    });
  }
}

/** A repair that was cut off may have set the journal aside already. */
function sourceOf(file: string): string {
  if (existsSync(file)) return file;
  const kept = readdirSync(dirname(file)).filter(
    (name) => name.startsWith(`${basename(file)}.damaged-`) && !name.endsWith('-wal'),
  );
  const last = kept.toSorted().at(-1);
  return last === undefined ? file : join(dirname(file), last);
}

/** The facts from the first one on. */
function readableFacts(file: string): readonly Fact[] {
  const facts = readableRows(file, 'SELECT * FROM facts ORDER BY seq', factOfRow);
  return facts[0]?.body.kind === 'agent.created' ? facts : [];
}

function restoreLog(journal: Journal, file: string): void {
  const rows = readableRows(file, 'SELECT * FROM log ORDER BY id', detailedLogOfRow);
  const last = rows.at(-1);
  if (last === undefined) return;
  const progress = { at: Date.parse(last.timestamp), awake_ms: 0, boot: '' };
  const entries = rows.map(({ timestamp, level, type, message, detail }) => ({
    at: timestamp,
    level,
    type,
    message,
    detail,
  }));
  journal.entries.append(entries, progress, { entries: 0, characters: 0 });
}
