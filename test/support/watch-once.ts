import type { OpenedFleet } from '../../src/fleet/open-fleet.ts';

/** What `fleet serve` does every few seconds with the branches of agents of this machine. */
export async function watchOnce({ backendsOf }: OpenedFleet): Promise<void> {
  for (const backend of await backendsOf('local')) await backend.watch?.(new AbortController().signal);
}
