import { accessSync, closeSync, constants, openSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';
import { FleetError, storageError } from '../../domain/values/errors.ts';
import { reasonOfErrno, type StorageReason } from '../../domain/values/storage-problem.ts';

export type Damage = Extract<StorageReason, 'store_corrupt' | 'journal_corrupt' | 'disk_error'>;

/** The codes of SQLite that are about the disk or the file, and not about a statement. */
const CODES = {
  PERM: 3,
  BUSY: 5,
  LOCKED: 6,
  READONLY: 8,
  IOERR: 10,
  CORRUPT: 11,
  FULL: 13,
  CANTOPEN: 14,
  PROTOCOL: 15,
  NOTADB: 26,
} as const;

/** The index of a write-ahead log could not be given its size. */
const IOERR_SHMSIZE = 4874;
const LITTLE_SPACE = 64 * 1024;
/** What SQLite has open beside a database: its log, their index, a directory. */
const FILES_AT_ONCE = 4;

/** What SQLite threw, as an error that says what is wrong with the file; anything else as it is. */
export function sqliteError(thrown: unknown, file: string, damage: Damage): unknown {
  const code = sqliteCode(thrown);
  if (code === undefined || thrown instanceof FleetError) return thrown;
  const reason = reasonOf(code, file, damage);
  return reason === undefined ? thrown : storageError(reason, file, thrown);
}

export function isBusy(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  if (code !== undefined) return (code & 0xff) === CODES.BUSY;
  return thrown instanceof FleetError && isBusy(thrown.cause);
}

/** True when it is not a database, or a broken one. */
export function isDamaged(thrown: unknown): boolean {
  const code = (sqliteCode(thrown) ?? 0) & 0xff;
  return code === CODES.CORRUPT || code === CODES.NOTADB;
}

function sqliteCode(thrown: unknown): number | undefined {
  return thrown instanceof Error && 'errcode' in thrown ? Number(thrown.errcode) : undefined;
}

function reasonOf(code: number, file: string, damage: Damage): StorageReason | undefined {
  switch (code & 0xff) {
    case CODES.BUSY:
    case CODES.LOCKED:
    case CODES.PROTOCOL:
      return 'state_locked';
    case CODES.CORRUPT:
    case CODES.NOTADB:
      return damage;
    case CODES.FULL:
      return 'disk_full';
    case CODES.PERM:
    case CODES.READONLY:
    case CODES.IOERR:
    case CODES.CANTOPEN:
      return probe(file, damage) ?? (code === IOERR_SHMSIZE ? 'disk_full' : 'disk_error');
    default:
      return undefined;
  }
}

/** SQLite does not tell why it cannot: the system does, when it is asked for the same. */
function probe(file: string, damage: Damage): StorageReason | undefined {
  try {
    accessSync(dirname(file), constants.W_OK);
    if (statfsSync(dirname(file)).bavail * statfsSync(dirname(file)).bsize < LITTLE_SPACE) return 'disk_full';
  } catch (thrown) {
    return reasonOfErrno(thrown) ?? 'home_missing';
  }
  const opened: number[] = [];
  try {
    for (let count = 0; count < FILES_AT_ONCE; count++) opened.push(openSync(dirname(file), 'r'));
    opened.push(openSync(file, 'r+'));
    return undefined;
  } catch (thrown) {
    const isDirectory = thrown instanceof Error && 'code' in thrown && thrown.code === 'EISDIR';
    return isDirectory ? damage : reasonOfErrno(thrown);
  } finally {
    for (const each of opened) closeSync(each);
  }
}
