import { FleetError } from '../../../domain/values/errors.ts';
import { NOTHING, type GcFound, type GcPart } from '../../gc-part.ts';
import { deleteKept } from '../kept/kept-branches.ts';
import { keptBytes } from '../kept/kept-bytes.ts';
import type { KeptEverywhere } from '../kept/kept-repositories.ts';

/** Reads the kept branches of all projects; throws when the configuration cannot be used. */
type ReadKept = () => Promise<KeptEverywhere>;

/** Branches with the work of deleted agents: the only copy of it, so that they go only when an age was named. */
export function keptPart(readKept: ReadKept, before: number | undefined): GcPart {
  return {
    name: 'kept_branches',
    title: 'kept branches',
    find: async () => {
      try {
        return await look(readKept, before);
      } catch (thrown) {
        if (!(thrown instanceof FleetError)) throw thrown;
        return { all: NOTHING, old: NOTHING, note: 'unknown: see fleet doctor', remove: () => {} };
      }
    },
  };
}

async function look(readKept: ReadKept, before: number | undefined): Promise<GcFound> {
  const { kept } = await readKept();
  const old = kept.filter(({ kept_at }) => before !== undefined && Date.parse(kept_at) < before);
  return {
    all: { count: kept.length, bytes: await keptBytes(kept) },
    old: { count: old.length, bytes: await keptBytes(old) },
    remove: async () => {
      for (const each of old) await deleteKept(each);
    },
  };
}
