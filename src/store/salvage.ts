import { DatabaseSync } from 'node:sqlite';
import type { Store } from './store.ts';

/** What no journal has, or has not yet. Slots are left: whoever waits takes a new one. */
const TABLES = ['agents', 'summaries', 'events', 'answers', 'audit'] as const;

type Row = Record<string, unknown>;

/** Copies what can still be read of a damaged store into a new one. */
export function salvage(damaged: string, store: Store): void {
  for (const table of TABLES) {
    const known = store
      .all(`SELECT name FROM pragma_table_info('${table}')`)
      .map((row) => String(row['name']));
    for (const row of readableRows(damaged, table)) {
      const columns = known.filter((column) => Object.hasOwn(row, column));
      const places = columns.map(() => '?').join(', ');
      store.run(
        `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
        ...columns.map((column) => valueOf(row[column])),
      );
    }
  }
}

/** The rows of a table up to the first that cannot be read. */
function readableRows(file: string, table: string): readonly Row[] {
  const rows: Row[] = [];
  try {
    using database = closing(new DatabaseSync(file, { readOnly: true, timeout: 1000 }));
    for (const row of database.prepare(`SELECT * FROM ${table}`).iterate()) rows.push(row);
  } catch {
    // What is damaged is lost; the journals have what matters of it.
  }
  return rows;
}

function closing(database: DatabaseSync): DatabaseSync & Disposable {
  return Object.assign(database, { [Symbol.dispose]: () => database.close() });
}

function valueOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
