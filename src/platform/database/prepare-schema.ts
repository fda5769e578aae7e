import { chmodSync, closeSync, fsyncSync, openSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { FleetError } from '../../domain/values/errors.ts';
import { GuardedDatabase } from './guarded-database.ts';
import { packageVersion } from '../package.ts';
import { isBusy, type Damage } from './sqlite-error.ts';

export interface Schema {
  /** What it is the schema of, as a sentence begins. */
  readonly of: string;
  /** What a broken file is called. */
  readonly damage: Damage;
  /** Raised when a program that knows only the one before must leave the database alone. */
  readonly version: number;
  /** All of it, for a database that is new. */
  readonly tables: string;
  /** Each brings a database one step on, and leaves what a program of the step before does with it possible. */
  readonly steps: readonly string[];
}

/** Where a database keeps how far it was brought, and by which Fleet. Its form never changes. */
export const SCHEMA_TABLE = `
  CREATE TABLE schema (
    id INTEGER PRIMARY KEY CHECK (id = 1), step INTEGER NOT NULL, fleet TEXT NOT NULL
  ) STRICT;
`;

/** Makes a database that is new, and brings one of an older Fleet to this one, with a copy kept beside it. True when it
 *  was new. After an interruption, the next process that opens the database runs it again. */
export function prepareSchema(database: DatabaseSync, file: string, schema: Schema): boolean {
  if (isReady(database, schema)) return false;
  begin(database, schema);
  try {
    const isNew = !isReady(database, schema) && bringForward(database, file, schema);
    database.exec('COMMIT');
    return isNew;
  } catch (thrown) {
    if (database.isTransaction) database.exec('ROLLBACK');
    throw thrown;
  }
}

/** 0 while the database is only just being made. */
export function schemaVersion(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** A database of a newer Fleet is refused. One that is a step or more ahead is not: steps only add. */
export function checkNotNewer(database: DatabaseSync, schema: Schema): void {
  const version = schemaVersion(database);
  if (version <= schema.version) return;
  const fleet = schemaRow(database)?.['fleet'];
  const by = typeof fleet === 'string' ? `Fleet ${fleet}` : 'a newer Fleet';
  throw new FleetError(
    'SERVICE_UNAVAILABLE',
    `${schema.of} was written by ${by} (schema ${version}; this is Fleet ${packageVersion()}, which knows ${schema.version}). Use that version or a newer one.`,
    { reason: 'newer_state' },
  );
}

function isReady(database: DatabaseSync, schema: Schema): boolean {
  checkNotNewer(database, schema);
  return schemaVersion(database) === schema.version && stepOf(database) >= schema.steps.length;
}

function bringForward(database: DatabaseSync, file: string, schema: Schema): boolean {
  const version = schemaVersion(database);
  if (version === 0) database.exec(`${schema.tables} PRAGMA user_version = ${schema.version};`);
  else {
    const step = stepOf(database);
    keepCopy(
      new GuardedDatabase(file, { readOnly: true, damage: schema.damage }),
      `${file}.v${version}.${step}`,
    );
    for (const statements of schema.steps.slice(step)) database.exec(statements);
  }
  database
    .prepare('INSERT OR REPLACE INTO schema (id, step, fleet) VALUES (1, ?, ?)')
    .run(schema.steps.length, packageVersion());
  return version === 0;
}

function stepOf(database: DatabaseSync): number {
  return Number(schemaRow(database)?.['step'] ?? 0);
}

/** The first version kept no such table. */
function schemaRow(database: DatabaseSync): Record<string, unknown> | undefined {
  const table = database
    .prepare(`SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = 'schema'`)
    .get();
  return table === undefined ? undefined : database.prepare('SELECT step, fleet FROM schema').get();
}

/** The process with the write lock migrates; the others wait, find it done, and go on. */
function begin(database: DatabaseSync, { of }: Schema): void {
  try {
    database.exec('PRAGMA synchronous = FULL; BEGIN IMMEDIATE');
  } catch (thrown) {
    if (!isBusy(thrown)) throw thrown;
    throw new FleetError(
      'SERVICE_UNAVAILABLE',
      `${of} is being migrated to this version by another process. Retry.`,
      { reason: 'upgrading' },
      thrown,
    );
  }
}

/** What was there before, read by a second connection: the write lock of the first keeps it still. */
function keepCopy(database: DatabaseSync, copy: string): void {
  const making = `${copy}.tmp`;
  rmSync(making, { force: true });
  try {
    database.prepare('VACUUM INTO ?').run(making);
  } finally {
    database.close();
  }
  chmodSync(making, 0o600);
  sync(making);
  renameSync(making, copy);
  sync(dirname(copy));
}

function sync(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}
