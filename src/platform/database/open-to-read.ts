import type { DatabaseSync } from 'node:sqlite';
import { GuardedDatabase } from './guarded-database.ts';
import { openStill } from './open-still.ts';
import type { Damage } from './sqlite-error.ts';

/** Opens a SQLite file to look, also where nothing can be written beside it. What is wrong with it is found here. */
export function openToRead(file: string, damage: Damage): DatabaseSync {
  try {
    return looked(new GuardedDatabase(file, { readOnly: true, timeout: 5000, damage }));
  } catch (thrown) {
    return looked(openStill(file, { damage, met: thrown }));
  }
}

function looked(database: DatabaseSync): DatabaseSync {
  try {
    database.prepare('PRAGMA schema_version').get();
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}
