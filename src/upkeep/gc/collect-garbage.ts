import { openStore } from '../../backends/local/records/open-store.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import type { Store } from '../../store/store.ts';
import { NOTHING, type Amount, type GcPart } from '../../backends/gc-part.ts';
import { homeParts } from './home-parts.ts';
import { storePart } from './store-part.ts';

export type { Amount };

export interface PartUsage {
  readonly name: string;
  readonly title: string;
  readonly all: Amount;
  readonly old: Amount;
  readonly removed: Amount;
  readonly note?: string;
}

export interface GcRequest {
  /** Milliseconds. */
  readonly age: number;
  readonly archiveBytes: number;
  /** Kept branches stay when there is none. */
  readonly keptAge: number | undefined;
  readonly remove: boolean;
}

/** Measures each part of a home, and removes what is old of it when it should. */
export async function collectGarbage(opened: OpenedFleet, request: GcRequest): Promise<readonly PartUsage[]> {
  using store = openStore(opened.home);
  const usage: PartUsage[] = [];
  for (const part of await partsOf(opened, store, request)) {
    const found = await part.find();
    if (request.remove) await found.remove();
    const { all, old, note } = found;
    usage.push({
      name: part.name,
      title: part.title,
      all,
      old,
      removed: request.remove ? old : NOTHING,
      ...(note === undefined ? {} : { note }),
    });
  }
  return usage;
}

async function partsOf(
  opened: OpenedFleet,
  store: Store,
  { age, archiveBytes, keptAge }: GcRequest,
): Promise<readonly GcPart[]> {
  const { home } = opened;
  const now = Date.now();
  const before = now - age;
  const keptBefore = keptAge === undefined ? undefined : now - keptAge;
  const ofBackends = await Promise.all(
    (await opened.backends()).map(
      async ({ upkeep }) => (await upkeep?.garbage({ before, archiveBytes, keptBefore })) ?? [],
    ),
  );
  return [...ofBackends.flat(), ...homeParts(home, before), storePart(store, home)];
}
