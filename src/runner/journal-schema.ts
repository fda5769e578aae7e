import { DatabaseSync } from 'node:sqlite';
import { FleetError } from '../domain/errors.ts';

export const JOURNAL_VERSION = 1;

const TABLES = `
  CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
  CREATE TABLE facts (
    seq INTEGER PRIMARY KEY, at TEXT NOT NULL, awake_ms INTEGER NOT NULL, boot TEXT NOT NULL,
    principal TEXT NOT NULL, door TEXT NOT NULL, body TEXT NOT NULL
  ) STRICT;
  CREATE TABLE history (
    n INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, message TEXT NOT NULL, uri TEXT,
    attention INTEGER NOT NULL, created_at TEXT NOT NULL, state TEXT NOT NULL, source TEXT NOT NULL, finished_at TEXT
  ) STRICT;
  CREATE TABLE log (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, level TEXT NOT NULL, type TEXT NOT NULL, message TEXT NOT NULL
  ) STRICT;
  CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
`;

/** Opens a journal to write; only its owner, who holds the lease, does so. Makes it when it is new. */
export function openJournalFile(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('PRAGMA journal_mode = WAL');
  const version = schemaVersion(database);
  if (version > JOURNAL_VERSION) {
    database.close();
    throw newerJournal(version);
  }
  if (version === 0) {
    database.exec(`BEGIN IMMEDIATE; ${TABLES} PRAGMA user_version = ${JOURNAL_VERSION}; COMMIT`);
  }
  return database;
}

/** Opens a journal to look; undefined while it has not been made. */
export function openJournalToRead(file: string): DatabaseSync | undefined {
  let database: DatabaseSync;
  try {
    database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  } catch {
    return undefined;
  }
  const version = schemaVersion(database);
  if (version === JOURNAL_VERSION) return database;
  database.close();
  if (version > JOURNAL_VERSION) throw newerJournal(version);
  return undefined;
}

function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

function newerJournal(version: number): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `This agent's journal was written by a newer Fleet (schema ${version}, this one knows ${JOURNAL_VERSION}). Use that version.`,
    { reason: 'newer_state' },
  );
}
