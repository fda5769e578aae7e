import { setTimeout as delay } from 'node:timers/promises';
import type { Fleet } from './fleet.ts';
import type { OpenedFleet } from './open-fleet.ts';

const EVERY_MS = 2_000;
const FORGES_EVERY_MS = 60_000;
const BRANCHES_EVERY_MS = 5_000;
const EXPIRE_EVERY_MS = 600_000;

/** The background work of `fleet serve`: finishes interrupted deletions, starts runners for agents that need one,
 *  and follows branches and pull requests. */
export async function startKeeper(opened: OpenedFleet, signal: AbortSignal): Promise<void> {
  await Promise.all([
    keepAgents(opened, signal),
    keepPullRequests(opened.fleet, signal),
    watchBranches(opened, signal),
    keepHome(opened, signal),
  ]);
}

/** Removes expired files of all backends, such as old archives. For long-lived processes only. */
export async function keepHome(opened: OpenedFleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await delay(EXPIRE_EVERY_MS, undefined, { signal }).catch(() => {});
    if (signal.aborted) return;
    for (const { upkeep } of await opened.backends())
      await upkeep?.expire(Date.now()).catch((thrown: unknown) => tell(thrown, signal));
  }
}

/** Each backend at its own pace: one that is slow or does not answer does not delay the others. */
async function keepAgents(opened: OpenedFleet, signal: AbortSignal): Promise<void> {
  const due = new Map<string, number>();
  while (!signal.aborted) {
    for (const backend of await opened.backends()) {
      if (performance.now() < (due.get(backend.name) ?? 0)) continue;
      due.set(backend.name, Number.POSITIVE_INFINITY);
      void backend
        .keep(signal)
        .catch((thrown: unknown) => tell(thrown, signal))
        .finally(() => due.set(backend.name, performance.now() + backend.pace_ms));
    }
    await delay(EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** At a slow pace, because no caller waits for the answers. */
async function keepPullRequests(fleet: Fleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await fleet.keepPullRequests(signal).catch((thrown: unknown) => tell(thrown, signal));
    await delay(FORGES_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

/** Beside the rest, because it may take long. */
async function watchBranches(opened: OpenedFleet, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const backend of await opened.backends())
      await backend.watch?.(signal).catch((thrown: unknown) => tell(thrown, signal));
    await delay(BRANCHES_EVERY_MS, undefined, { signal }).catch(() => {});
  }
}

function tell(thrown: unknown, signal: AbortSignal): void {
  if (signal.aborted) return;
  console.error(`fleet: error in the keeper: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
}
