import { Journal, type LogEntry } from '../../../runner/journal/journal.ts';
import type { News } from './news-schema.ts';

const MEMORY = 'memory';

/** A journal that is another one's copy: it takes that one's facts and log as they are. */
export class MirrorJournal extends Journal {
  /** Takes what is new; what it has already is passed over. */
  learn({ seq, facts, progress, git, listed, fields, log }: News): void {
    const known = this.state().seq;
    const fresh = facts.filter((fact) => fact.seq > known);
    // A copy may lose the last of it with the power: the runner tells it again.
    if (fresh.length > 0 || seq > known) this.restore(fresh, seq, false);
    if (progress !== null) this.setProgress(progress);
    this.setGit(git);
    this.setFields(fields, listed);
    if (log !== null) this.#learnLog(log);
  }

  /** What the writer of the copy has to remember beside the facts. */
  memory<Value>(): Value | undefined {
    const text = this.meta(MEMORY);
    return text === undefined ? undefined : (JSON.parse(text) as Value);
  }

  remember(value: object): void {
    this.statement('INSERT OR REPLACE INTO meta VALUES (?, ?)').run(MEMORY, JSON.stringify(value));
  }

  addLog({ at, level, type, message }: LogEntry): number {
    const insert = this.statement('INSERT INTO log (at, level, type, message) VALUES (?, ?, ?, ?)');
    return Number(insert.run(at, level, type, message).lastInsertRowid);
  }

  /** For an entry that is still being written. */
  changeLog(id: number, message: string): void {
    this.statement('UPDATE log SET message = ? WHERE id = ?').run(message, id);
  }

  #learnLog({ first, rows }: NonNullable<News['log']>): void {
    const last = this.lastLogId();
    // Between what is here and what is there entries are gone for ever: numbers stay dense.
    if (first > last + 1) this.statement('DELETE FROM log').run();
    else if (first > 0) this.statement('DELETE FROM log WHERE id < ?').run(first);
    const insert = this.statement(
      'INSERT OR IGNORE INTO log (id, at, level, type, message, detail) VALUES (?, ?, ?, ?, ?, ?)',
    );
    this.database.exec('BEGIN IMMEDIATE');
    for (const { id, timestamp, level, type, message, detail } of rows)
      insert.run(id, timestamp, level, type, message, detail);
    this.database.exec('COMMIT');
  }
}
