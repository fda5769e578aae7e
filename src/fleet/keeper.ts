import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { OpenedFleet } from './open-fleet.ts';

const EVERY_MS = 2_000;
const FORGES_EVERY_MS = 60_000;

/** What `fleet serve` does at its own pace: finishes deletions that were cut off, and starts what waits for a runner. */
export async function startKeeper(opened: OpenedFleet, signal: AbortSignal): Promise<void> {
  await Promise.all([
    keepAgents(opened.local, signal),
    keepPullRequests(opened.fleet, signal),
    keepCoder(opened, signal),
  ]);
}

/** Each server at its own pace: one that is slow or gone holds up no other. */
async function keepCoder(opened: OpenedFleet, signal: AbortSignal): Promise<void> {
  const due = new Map<string, number>();
  while (!signal.aborted) {
    const backends = await opened.coder().catch(() => []);
    for (const backend of backends) {
      if (performance.now() < (due.get(backend.name) ?? 0)) continue;
      due.set(backend.name, Number.POSITIVE_INFINITY);
      void backend
        .keep()
        .catch((thrown: unknown) => tell(thrown, signal))
        .finally(() => due.set(backend.name, performance.now() + backend.pace_ms));
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
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
