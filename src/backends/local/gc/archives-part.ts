import { endArchives } from '../kept/end-archives.ts';
import { packRepositories } from '../repository/pack-repositories.ts';
import { findOldArchives, type ArchiveLimits } from '../kept/old-archives.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { amountOf, type GcPart } from '../../gc-part.ts';

/** Deleted agents as they were put away. Their kept branches stay. */
export function archivesPart(home: string, limits: ArchiveLimits): GcPart {
  return {
    name: 'archives',
    title: 'archives of deleted agents',
    find: async () => {
      const { all, old, problems } = await findOldArchives(home, limits);
      return {
        all: amountOf(all),
        old: amountOf(old),
        ...(problems.length === 0 ? {} : { note: problems.join('; ') }),
        remove: async () => {
          const failed = [...(await endArchives(home, old)), ...(await packRepositories(home))];
          if (failed.length > 0) throw new FleetError('SERVICE_UNAVAILABLE', `${failed.join('; ')}.`);
        },
      };
    },
  };
}
