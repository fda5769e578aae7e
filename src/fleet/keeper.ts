import { setTimeout as delay } from 'node:timers/promises';
import type { OpenedFleet } from './open-fleet.ts';

const EVERY_MS = 2_000;

/** What `fleet serve` does at its own pace: finishes deletions that were cut off, and starts what waits for a runner. */
export async function startKeeper({ local }: OpenedFleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await local.keep(signal).catch((thrown: unknown) => {
      if (!signal.aborted)
        console.error(
          `fleet: the keeper met a problem: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
        );
    });
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}
