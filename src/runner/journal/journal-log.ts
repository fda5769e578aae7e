import type { StatementSync } from 'node:sqlite';
import type { Instant } from '../../domain/status.ts';
import type { LogEntry } from './journal.ts';
import { entryBytes, type LogCut, type LogSize } from './log-buffer.ts';

/** What a journal lends to its log. */
export interface JournalHands {
  statement(sql: string): StatementSync;
  meta(key: string): string | undefined;
  setMeta(key: string, value: unknown): void;
  transaction(work: () => void): void;
}

export const LOG_CUT_KEY = 'log_cut';
/** Of one entry. */
const BYTES = 'octet_length(message) + coalesce(octet_length(detail), 0)';
export const NOTHING_CUT: LogCut = { entries: 0, characters: 0 };

/** The log of a journal: it knows its size, and remembers what was cut until a fact tells it. Entries are numbered
 *  densely, because only the oldest are ever dropped. */
export class JournalLog {
  readonly #hands: JournalHands;
  #size: LogSize;

  constructor(hands: JournalHands, entries: number) {
    this.#hands = hands;
    const bytes =
      hands.meta('log_bytes') ?? hands.statement(`SELECT sum(${BYTES}) AS bytes FROM log`).get()?.['bytes'];
    this.#size = { entries, bytes: Number(bytes ?? 0) };
  }

  get size(): LogSize {
    return this.#size;
  }

  /** What was cut and is in no fact yet. */
  cut(): LogCut {
    const text = this.#hands.meta(LOG_CUT_KEY);
    return text === undefined ? NOTHING_CUT : (JSON.parse(text) as LogCut);
  }

  /** `lost` is what was meant for the log and did not come so far. */
  append(entries: readonly LogEntry[], progress: Instant, lost: LogCut): void {
    const bytes = entries.reduce((sum, entry) => sum + entryBytes(entry), this.#size.bytes);
    const size = { entries: this.#size.entries + entries.length, bytes };
    this.#change(size, lost, () => {
      const insert = this.#hands.statement(
        'INSERT INTO log (at, level, type, message, detail) VALUES (?, ?, ?, ?, ?)',
      );
      for (const { at, level, type, message, detail = null } of entries)
        insert.run(at, level, type, message, detail);
      this.#hands.setMeta('progress', progress);
    });
  }

  /** Drops the oldest entries until the rest is within the limits. */
  trim(keep: LogSize): void {
    this.#drop(({ entries, bytes }) => entries > keep.entries || bytes > keep.bytes);
  }

  /** Drops the entries that were written before a time. */
  trimBefore(time: string): void {
    this.#drop((_, { at }) => at < time);
  }

  #drop(drops: (left: LogSize, oldest: { readonly at: string }) => boolean): void {
    let left = this.#size;
    let gone = NOTHING_CUT;
    let last = 0;
    const oldest = this.#hands.statement(
      `SELECT id, at, length(message) AS characters, ${BYTES} AS bytes FROM log ORDER BY id`,
    );
    for (const row of oldest.iterate()) {
      if (!drops(left, { at: String(row['at']) })) break;
      last = Number(row['id']);
      gone = { entries: gone.entries + 1, characters: gone.characters + Number(row['characters']) };
      left = { entries: left.entries - 1, bytes: left.bytes - Number(row['bytes']) };
    }
    if (gone.entries === 0) return;
    this.#change(left, gone, () => this.#hands.statement('DELETE FROM log WHERE id <= ?').run(last));
  }

  #change(size: LogSize, cut: LogCut, work: () => void): void {
    const { transaction, setMeta } = this.#hands;
    transaction(() => {
      work();
      setMeta('log_bytes', size.bytes);
      if (cut.entries === 0 && cut.characters === 0) return;
      const before = this.cut();
      setMeta(LOG_CUT_KEY, {
        entries: before.entries + cut.entries,
        characters: before.characters + cut.characters,
      });
    });
    this.#size = size;
  }
}
