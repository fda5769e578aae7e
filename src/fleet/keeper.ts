import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { OpenedFleet } from './open-fleet.ts';

const EVERY_MS = 2_000;
const FORGES_EVERY_MS = 60_000;

/** What `fleet serve` does at its own pace: finishes deletions that were cut off, and starts what waits for a runner. */
export async function startKeeper({ local, fleet }: OpenedFleet, signal: AbortSignal): Promise<void> {
  await Promise.all([keepAgents(local, signal), keepPullRequests(fleet, signal)]);
}

/** Forges are asked politely: nobody waits for the answer. */
async function keepPullRequests(fleet: Fleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fleet.keepPullRequests(signal).catch((thrown: unknown) => tell(thrown, signal));
    await delay(FORGES_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

async function keepAgents(local: OpenedFleet['local'], signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await local.keep(signal).catch((thrown: unknown) => tell(thrown, signal));
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

function tell(thrown: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  console.error(
    `fleet: the keeper met a problem: ${thrown instanceof Error ? thrown.message : String(thrown)}`,
  );
}
