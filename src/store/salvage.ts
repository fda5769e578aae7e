import { readableRows } from '../platform/database/readable-rows.ts';
import type { Store } from './store.ts';

/** What no journal has, or has not yet. Slots are left out: a waiting runner takes a new one. */
const TABLES = ['agents', 'summaries', 'events', 'answers', 'audit'] as const;

/** Copies what can still be read of a damaged store into a new one. */
export function salvage(damaged: string, store: Store): void {
  for (const table of TABLES) {
    const known = store
      .all(`SELECT name FROM pragma_table_info('${table}')`)
      .map((row) => String(row['name']));
    for (const row of readableRows(damaged, `SELECT * FROM ${table}`, (each) => each)) {
      const columns = known.filter((column) => Object.hasOwn(row, column));
      const places = columns.map(() => '?').join(', ');
      store.run(
        `INSERT OR IGNORE INTO ${table} (${columns.join(', ')}) VALUES (${places})`,
        ...columns.map((column) => valueOf(row[column])),
      );
    }
  }
}

function valueOf(value: unknown): string | number | null {
  return typeof value === 'string' || typeof value === 'number' ? value : null;
}
