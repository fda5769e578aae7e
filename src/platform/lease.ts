import { DatabaseSync } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';

/** A lock that its holder keeps for life and the operating system takes back when it dies: no clock is involved,
 *  so suspend and SIGSTOP do no harm. */
export interface Lease extends Disposable {
  release(): void;
}

export function takeLease(file: string): Lease | undefined {
  const database = new DatabaseSync(file, { timeout: 0 });
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

export function isBusy(thrown: unknown): boolean {
  return thrown instanceof Error && 'errcode' in thrown && (Number(thrown.errcode) & 0xff) === 5;
}
