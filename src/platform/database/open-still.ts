import { statSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { FleetError } from '../../domain/values/errors.ts';
import { GuardedDatabase } from './guarded-database.ts';
import type { Damage } from './sqlite-error.ts';

/** Opens a file that SQLite cannot write beside, to read what lies still: without a log of its own, which somebody would
 *  have who has it open. Throws what was met before when that cannot be. */
export function openStill(file: string, { damage, met }: { damage: Damage; met: unknown }): DatabaseSync {
  const reason = met instanceof FleetError ? met.details.reason : undefined;
  const nowhereToWrite = reason === 'disk_full' || reason === 'home_read_only' || reason === 'no_permission';
  if (!nowhereToWrite || (statSync(`${file}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0) throw met;
  const location = pathToFileURL(file);
  location.searchParams.set('immutable', '1');
  try {
    return new GuardedDatabase(file, { damage, location, readOnly: true });
  } catch {
    throw met;
  }
}
