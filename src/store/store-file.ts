import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { storageError } from '../domain/values/errors.ts';
import { reasonOfErrno } from '../domain/values/storage-problem.ts';
import { GuardedDatabase } from '../platform/database/guarded-database.ts';
import { takeLease, type Lease } from '../platform/database/lease.ts';
import { pause } from '../platform/pause.ts';
import { isBusy } from '../platform/database/sqlite-error.ts';

const LOCK_WAIT_MS = 60_000;
const PAUSE_MS = 20;
const WAL_LIMIT = 4 * 1024 * 1024;

/** Opens the file. Many processes may open a new one at once, and switching it to WAL does not wait: try again. */
export function openDatabase(file: string): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    const database = new GuardedDatabase(file, { timeout: 10_000, damage: 'store_corrupt' });
    try {
      database.exec('PRAGMA journal_mode = WAL');
      // What was checkpointed is given back, also after a burst or a long look.
      database.exec(`PRAGMA journal_size_limit = ${WAL_LIMIT}`);
      return database;
    } catch (thrown) {
      database.close();
      if (!isBusy(thrown) || attempt === 100) throw thrown;
      pause(PAUSE_MS);
    }
  }
}

/** One at a time makes a store. */
export function lockStore(home: string): Lease {
  const file = join(home, 'locks', 'store.db');
  makeDirectory(dirname(file));
  const until = performance.now() + LOCK_WAIT_MS;
  for (;;) {
    const lease = takeLease(file);
    if (lease !== undefined) return lease;
    if (performance.now() > until) throw storageError('state_locked', file);
    pause(PAUSE_MS);
  }
}

/** A home that was removed is not made again by those that still live in it. */
function makeDirectory(directory: string): void {
  try {
    mkdirSync(directory, { mode: 0o700 });
  } catch (thrown) {
    const code = thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
    if (code === 'EEXIST') return;
    throw storageError(reasonOfErrno(thrown) ?? 'home_missing', directory, thrown);
  }
}
