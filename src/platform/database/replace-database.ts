import { linkSync, lstatSync, renameSync, rmSync } from 'node:fs';

/** Before a new database is closed and takes its place: closing does the same, and says nothing when the disk is full. */
export const ALL_IN_ONE_FILE = 'PRAGMA wal_checkpoint(TRUNCATE)';

/** Puts a new SQLite file in the place of one that is damaged or gone. The old one is kept, with its log; true when
 *  there was one. The new one finds nothing there that belongs to the old one. */
export function replaceDatabase(file: string, fresh: string, kept: string): boolean {
  const found = lstatSync(file, { throwIfNoEntry: false });
  if (found !== undefined) keepAs(file, kept);
  if (found !== undefined && lstatSync(`${file}-wal`, { throwIfNoEntry: false }) !== undefined) {
    renameSync(`${file}-wal`, `${kept}-wal`);
  }
  for (const end of ['-wal', '-shm']) remove(`${file}${end}`);
  renameSync(fresh, file);
  return found !== undefined;
}

/** Where a damaged file is kept. */
export function damagedName(file: string): string {
  return `${file}.damaged-${new Date().toISOString().replaceAll(/[:.]/g, '-')}`;
}

export function removeDatabase(file: string): void {
  for (const end of ['', '-wal', '-shm']) remove(`${file}${end}`);
}

/** Removing a tree opens files, which may be what is not possible. */
function remove(path: string): void {
  const recursive = lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  rmSync(path, { force: true, recursive });
}

/** A second name: a process that opens the file at this moment must not find it missing, and create one. */
function keepAs(file: string, kept: string): void {
  try {
    linkSync(file, kept);
  } catch {
    // A directory, or a file system without links.
    renameSync(file, kept);
  }
}
