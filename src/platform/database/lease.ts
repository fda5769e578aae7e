import { truncateSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isBusy, isDamaged, sqliteError } from './sqlite-error.ts';

/** A lock that its holder keeps for life and the operating system takes back when it dies: no clock is involved,
 *  so suspend and SIGSTOP do no harm. */
export interface Lease extends Disposable {
  release(): void;
}

export function takeLease(file: string): Lease | undefined {
  return waitForLease(file, 0);
}

/** Blocks the process until the lease is free: for a lock that is held for a moment. Undefined when it is not in time. */
export function waitForLease(file: string, wait_ms: number): Lease | undefined {
  try {
    return take(file, wait_ms);
  } catch (thrown) {
    if (!isDamaged(thrown)) throw sqliteError(thrown, file, 'disk_error');
    // Nothing is ever written in it. Emptied where it lies, it is whole again, and its holder still holds it.
    truncateSync(file);
    return take(file, wait_ms);
  }
}

function take(file: string, timeout: number): Lease | undefined {
  const database = new DatabaseSync(file, { timeout });
  try {
    database.exec('BEGIN EXCLUSIVE');
  } catch (thrown) {
    database.close();
    if (isBusy(thrown)) return undefined;
    throw thrown;
  }
  const release = (): void => {
    if (database.isOpen) database.close();
  };
  return { release, [Symbol.dispose]: release };
}

/** Takes the lease as soon as it is free, for as long as `waitFor` says that waiting makes sense. */
export async function takeLeaseWhile(file: string, waitFor: () => boolean): Promise<Lease | undefined> {
  for (;;) {
    const lease = takeLease(file);
    if (lease !== undefined) return lease;
    if (!waitFor()) return undefined;
    await delay(15);
  }
}
