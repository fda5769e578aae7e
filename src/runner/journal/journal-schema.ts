import { existsSync } from 'node:fs';
import type { DatabaseSync } from 'node:sqlite';
import { GuardedDatabase } from '../../platform/database/guarded-database.ts';
import { openToRead } from '../../platform/database/open-to-read.ts';
import {
  checkNotNewer,
  prepareSchema,
  SCHEMA_TABLE,
  schemaVersion,
  type Schema,
} from '../../platform/database/prepare-schema.ts';

const WAL_LIMIT = 1024 * 1024;

/** The tables of one agent's journal. A journal that nobody holds is read at whatever step it lies. */
const JOURNAL_SCHEMA: Schema = {
  of: `This agent's journal`,
  damage: 'journal_corrupt',
  version: 1,
  tables: `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, awake_ms INTEGER NOT NULL, boot TEXT NOT NULL,
    principal TEXT NOT NULL, door TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE history (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, message TEXT NOT NULL, uri TEXT,
    attention INTEGER NOT NULL, created_at TEXT NOT NULL, state TEXT NOT NULL, source TEXT NOT NULL, finished_at TEXT,
    tokens INTEGER, cost REAL, started_at TEXT, result TEXT
  ) STRICT;
  CREATE TABLE log (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, level TEXT NOT NULL, type TEXT NOT NULL, message TEXT NOT NULL,
    detail TEXT
  ) STRICT;
  CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  ${SCHEMA_TABLE}
`,
  steps: [
    SCHEMA_TABLE,
    'ALTER TABLE history ADD COLUMN tokens INTEGER; ALTER TABLE history ADD COLUMN cost REAL;',
    'ALTER TABLE history ADD COLUMN started_at TEXT; ALTER TABLE history ADD COLUMN result TEXT;',
    'ALTER TABLE log ADD COLUMN detail TEXT;',
  ],
};

/** Opens a journal to write; only its owner, who holds the lease, does so. Makes it when it is new. */
export function openJournalFile(file: string): DatabaseSync {
  const database = new GuardedDatabase(file, { timeout: 5000, damage: JOURNAL_SCHEMA.damage });
  try {
    database.exec('PRAGMA journal_mode = WAL');
    // Hundreds of these are open at the same time: what was checkpointed is given back.
    database.exec(`PRAGMA wal_autocheckpoint = 256; PRAGMA journal_size_limit = ${WAL_LIMIT}`);
    prepareSchema(database, file, JOURNAL_SCHEMA);
    return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** Opens a journal to look; undefined while it has not been made. */
export function openJournalToRead(file: string): DatabaseSync | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return ifMade(openToRead(file, JOURNAL_SCHEMA.damage));
  } catch (thrown) {
    // A deleted agent's journal goes to the archive at any time.
    if (!existsSync(file)) return undefined;
    throw thrown;
  }
}

function ifMade(database: DatabaseSync): DatabaseSync | undefined {
  try {
    checkNotNewer(database, JOURNAL_SCHEMA);
    if (schemaVersion(database) > 0) return database;
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  database.close();
  return undefined;
}
