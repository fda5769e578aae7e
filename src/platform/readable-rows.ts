import { DatabaseSync } from 'node:sqlite';

/** The rows that a damaged SQLite file still gives, up to the first that cannot be read. */
export function readableRows<Row>(
  file: string,
  sql: string,
  map: (row: Record<string, unknown>) => Row,
): readonly Row[] {
  const rows: Row[] = [];
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 1000 });
    for (const row of database.prepare(sql).iterate()) rows.push(map(row));
  } catch {
    // The rest is lost.
  } finally {
    if (database?.isOpen === true) database.close();
  }
  return rows;
}
