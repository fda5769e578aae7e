import { keptBytes } from '../../backends/local/kept-bytes.ts';
import { deleteKept } from '../../backends/local/kept-branches.ts';
import { FleetError } from '../../domain/errors.ts';
import type { OpenedFleet } from '../../fleet/open-fleet.ts';
import { keptEverywhere } from '../kept-repositories.ts';
import { NOTHING, type GcFound, type GcPart } from './gc-part.ts';

/** Branches with the work of deleted agents: the only copy of it, so that they go only when an age was named. */
export function keptPart(opened: OpenedFleet, before: number | undefined): GcPart {
  return {
    name: 'kept_branches',
    title: 'kept branches',
    find: async () => {
      try {
        return await look(opened, before);
      } catch (thrown) {
        if (!(thrown instanceof FleetError)) throw thrown;
        return { all: NOTHING, old: NOTHING, note: 'unknown: see fleet doctor', remove: () => {} };
      }
    },
  };
}

async function look(opened: OpenedFleet, before: number | undefined): Promise<GcFound> {
  const { kept } = await keptEverywhere((await opened.config()).current().config);
  const old = kept.filter(({ kept_at }) => before !== undefined && Date.parse(kept_at) < before);
  return {
    all: { count: kept.length, bytes: await keptBytes(kept) },
    old: { count: old.length, bytes: await keptBytes(old) },
    remove: async () => {
      for (const each of old) await deleteKept(each);
    },
  };
}
