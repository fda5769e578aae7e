import type { DatabaseSync } from 'node:sqlite';
import { openToRead } from './open-to-read.ts';

/** The rows that a damaged SQLite file still gives, up to the first that cannot be read. */
export function readableRows<Row>(
  file: string,
  sql: string,
  map: (row: Record<string, unknown>) => Row,
): readonly Row[] {
  const rows: Row[] = [];
  let database: DatabaseSync | undefined;
  try {
    database = openToRead(file, 'disk_error');
    for (const row of database.prepare(sql).iterate()) rows.push(map(row));
  } catch {
    // The rest is lost.
  } finally {
    if (database?.isOpen === true) database.close();
  }
  return rows;
}
