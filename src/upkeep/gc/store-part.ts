import { statSync } from 'node:fs';
import { join } from 'node:path';
import { pruneCalls, pruneEvents, rowsBeyondLimits } from '../../store/store-upkeep.ts';
import type { Store } from '../../store/store.ts';
import { amountOf, type GcPart } from '../../backends/gc-part.ts';

/** Events, answers and the audit log: what is beyond their limits, and room in the file that nothing uses. */
export function storePart(store: Store, home: string): GcPart {
  return {
    name: 'store',
    title: 'events, answers and audit log',
    find: () => {
      const { events, audit, answers } = rowsBeyondLimits(store, Date.now());
      const files = ['store.db', 'store.db-wal', 'store.db-shm'].map((name) => ({
        bytes: statSync(join(home, name), { throwIfNoEntry: false })?.size ?? 0,
      }));
      const size = (pragma: string): number => Number(Object.values(store.get(`PRAGMA ${pragma}`) ?? {})[0]);
      const count = Number(
        store.get(
          'SELECT (SELECT count(*) FROM events) + (SELECT count(*) FROM audit) + (SELECT count(*) FROM answers) AS n',
        )?.['n'],
      );
      return {
        all: { count, bytes: amountOf(files).bytes },
        old: { count: events + audit + answers, bytes: size('freelist_count') * size('page_size') },
        remove: () => {
          pruneEvents(store, Date.now());
          pruneCalls(store, Date.now());
          store.all('VACUUM');
          store.all('PRAGMA wal_checkpoint(TRUNCATE)');
        },
      };
    },
  };
}
