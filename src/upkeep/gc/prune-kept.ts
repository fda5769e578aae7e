import { deleteKept } from '../../backends/local/kept/kept-branches.ts';
import { keptEverywhere, type KeptInProject } from '../../backends/local/kept/kept-repositories.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';

export interface OldKept {
  readonly old: readonly KeptInProject[];
  /** What could not be looked at. */
  readonly problems: readonly string[];
}

export interface Pruned {
  readonly branch: string;
  readonly problem?: string;
}

/** The kept branches that were made before a time, in milliseconds. */
export async function oldKept(opened: OpenedFleet, before: number): Promise<OldKept> {
  const { kept, problems } = await keptEverywhere((await opened.config()).current().config);
  return { old: kept.filter(({ kept_at }) => Date.parse(kept_at) < before), problems };
}

/** Deletes kept branches, and with them the only copy of that work. */
export async function pruneKept(old: readonly KeptInProject[]): Promise<readonly Pruned[]> {
  const results: Pruned[] = [];
  for (const kept of old) {
    const problem = await deleteKept(kept);
    results.push({ branch: kept.branch, ...(problem === undefined ? {} : { problem }) });
  }
  return results;
}
