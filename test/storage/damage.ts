import { closeSync, existsSync, mkdirSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

/** Ways in which a SQLite file can be spoiled. */
export const DAMAGES = {
  'is garbage': (file) => replace(file, () => writeFileSync(file, 'not a database at all\n'.repeat(400))),
  'is empty': (file) => replace(file, () => writeFileSync(file, '')),
  'is a directory': (file) => replace(file, () => mkdirSync(file)),
} as const satisfies Record<string, (file: string) => void>;

/** Spoils the first page of one table, and nothing else. */
export function spoilTable(file: string, table: string): void {
  settleLog(file);
  const database = new DatabaseSync(file);
  const page = Number(
    database.prepare('SELECT rootpage FROM sqlite_master WHERE name = ?').get(table)?.['rootpage'],
  );
  const size = Number(database.prepare('PRAGMA page_size').get()?.['page_size']);
  database.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (page - 1) * size);
  closeSync(handle);
}

/** Brings what is in the log into the file: whoever looked last may have left it there. */
export function settleLog(file: string): void {
  // It waits for processes that read at this moment: their pages would stay in the log, and hide the damage.
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const row = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  database.close();
  if (row?.['busy'] !== 0) throw new Error(`the log of ${file} could not be settled`);
}

export function removeAll(file: string): void {
  for (const end of ['', '-wal', '-shm']) rmSync(`${file}${end}`, { recursive: true, force: true });
}

function replace(file: string, make: () => void): void {
  if (!existsSync(file)) throw new Error(`${file} is not there`);
  removeAll(file);
  make();
}
