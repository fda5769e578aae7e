import { existsSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { FleetError } from '../../../domain/values/errors.ts';
import { JOURNAL_FILE } from '../../../runner/own-journal.ts';

/** File systems that are gone with the container or the machine: overlay, tmpfs, ramfs. */
const PASSING = new Set([0x794c7630, 0x01021994, 0x858458f6]);

/** A journal that is gone after a restart would take the first task a second time: no task is run without storage that
 *  stays. The template says when it has made sure of that. */
export function checkStorage(directory: string, promised: boolean): void {
  if (promised || existsSync(join(directory, JOURNAL_FILE))) return;
  if (!PASSING.has(statfsSync(directory).type)) return;
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner's directory "${directory}" is not on persistent storage. The template has to put it on a volume and set FLEET_STORAGE=persistent.`,
    { reason: 'no_persistent_storage' },
  );
}
