import { mkdirSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLease, takeLeaseWhile, type Lease } from '../../../platform/database/lease.ts';
import { checksDirectory } from './check-place.ts';

/** Lock files stay for ever, so there are only so many: two trees may share one. */
const LOCKS = 64;
const LOOK_MS = 50;

/** Waits until no other process uses a prepared tree, and until this machine has room for another check. A process that
 *  dies gives both back. */
export async function claimTree(
  home: string,
  name: string,
  { signal, waiting }: { readonly signal: AbortSignal; waiting(what: string): void },
): Promise<Disposable> {
  const own = lockOf(home, name);
  let lease: Lease | undefined = takeLease(own);
  if (lease === undefined) {
    waiting('waiting for another run of checks on the same tree');
    lease = await takeLeaseWhile(own, () => !signal.aborted);
  }
  try {
    signal.throwIfAborted();
    const room = await takeRoom(home, { signal, waiting });
    return {
      [Symbol.dispose]: () => {
        room.release();
        lease?.release();
      },
    };
  } catch (thrown) {
    lease?.release();
    throw thrown;
  }
}

/** The lock of a prepared tree, when no process has it. */
export function claimIfFree(home: string, name: string): Lease | undefined {
  return takeLease(lockOf(home, name));
}

function lockOf(home: string, name: string): string {
  return lockFile(home, `tree-${Number.parseInt(name.slice(0, 8), 16) % LOCKS}`);
}

async function takeRoom(
  home: string,
  { signal, waiting }: { readonly signal: AbortSignal; waiting(what: string): void },
): Promise<Lease> {
  const places = Math.max(1, Math.floor(availableParallelism() / 2));
  for (let isFirst = true; ; isFirst = false) {
    for (let place = 0; place < places; place++) {
      const lease = takeLease(lockFile(home, `room-${place}`));
      if (lease !== undefined) return lease;
    }
    if (isFirst) waiting('waiting for other checks on this machine');
    await delay(LOOK_MS, undefined, { signal });
  }
}

function lockFile(home: string, name: string): string {
  const directory = join(checksDirectory(home), 'locks');
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  return join(directory, name);
}
