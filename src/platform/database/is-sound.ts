import { FleetError } from '../../domain/values/errors.ts';
import { openToRead } from './open-to-read.ts';
import type { Damage } from './sqlite-error.ts';

/** Whether all of a SQLite file can be read. */
export function isSound(file: string, damage: Damage): boolean {
  try {
    const database = openToRead(file, damage);
    try {
      return database.prepare('PRAGMA quick_check(1)').get()?.['quick_check'] === 'ok';
    } finally {
      database.close();
    }
  } catch (thrown) {
    if (thrown instanceof FleetError && thrown.details.reason === damage) return false;
    throw thrown;
  }
}
