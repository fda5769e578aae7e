import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { packageVersion } from '../package.ts';
import { prepareSchema, SCHEMA_TABLE, type Schema } from './prepare-schema.ts';

/** The first version had no table for its steps. */
const FIRST: Schema = {
  of: 'This book',
  damage: 'disk_error',
  version: 1,
  tables: `CREATE TABLE pages (n INTEGER PRIMARY KEY, text TEXT NOT NULL); ${SCHEMA_TABLE}`,
  steps: [],
};
const SECOND: Schema = {
  ...FIRST,
  steps: [
    SCHEMA_TABLE,
    `ALTER TABLE pages ADD COLUMN colour TEXT NOT NULL DEFAULT 'white';
     UPDATE pages SET text = text || '!';`,
  ],
};
const BROKEN: Schema = { ...SECOND, steps: [...SECOND.steps, 'DELETE FROM pages; CREATE TABLE pages (n)'] };

let directory: string;
let file: string;
const opened: DatabaseSync[] = [];

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-schema-'));
  file = join(directory, 'book.db');
  const database = open();
  database.exec(`CREATE TABLE pages (n INTEGER PRIMARY KEY, text TEXT NOT NULL); PRAGMA user_version = 1;
    INSERT INTO pages (text) VALUES ('one'), ('two')`);
});
afterEach(() => {
  for (const database of opened.splice(0)) if (database.isOpen) database.close();
  rmSync(directory, { recursive: true });
});

function open(path = file, timeout = 0): DatabaseSync {
  const database = new DatabaseSync(path, { timeout });
  database.exec('PRAGMA journal_mode = WAL');
  opened.push(database);
  return database;
}

function texts(database: DatabaseSync): unknown[] {
  return database
    .prepare('SELECT text FROM pages ORDER BY n')
    .all()
    .map(({ text }) => text);
}

describe('a database of an older Fleet', () => {
  it('is migrated once, step by step, by the first process that opens it', () => {
    expect(prepareSchema(open(), file, SECOND)).toBe(false);
    expect(prepareSchema(open(), file, SECOND)).toBe(false);
    const database = open();
    expect(texts(database)).toEqual(['one!', 'two!']);
    expect(database.prepare('SELECT step, fleet FROM schema').all()).toEqual([
      { step: 2, fleet: packageVersion() },
    ]);
  });

  it('leaves a whole copy of what it was beside it, for its owner alone', () => {
    prepareSchema(open(), file, SECOND);
    const copy = `${file}.v1.0`;
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    const kept = open(copy);
    expect(kept.prepare('PRAGMA integrity_check').get()).toEqual({ integrity_check: 'ok' });
    expect(kept.prepare('PRAGMA user_version').get()).toEqual({ user_version: 1 });
    expect(texts(kept)).toEqual(['one', 'two']);
  });

  it('stays as it was when a step fails, and is brought forward by the next that can', () => {
    expect(() => prepareSchema(open(), file, BROKEN)).toThrow(/already exists/);
    expect(texts(open())).toEqual(['one', 'two']);
    const writer = open();
    writer.exec(`INSERT INTO pages (text) VALUES ('three')`);
    prepareSchema(writer, file, SECOND);
    expect(texts(writer)).toEqual(['one!', 'two!', 'three!']);
    expect(texts(open(`${file}.v1.0`))).toEqual(['one', 'two', 'three']);
  });

  it('does not mind what was cut off in the middle of making the copy', () => {
    writeFileSync(`${file}.v1.0.tmp`, 'half of it');
    prepareSchema(open(), file, SECOND);
    expect(texts(open(`${file}.v1.0`))).toEqual(['one', 'two']);
    expect(readdirSync(directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('stays as it was when the migrating process is killed in the middle', () => {
    const code = `
      const { DatabaseSync } = await import('node:sqlite');
      const { prepareSchema } = await import(${JSON.stringify(join(import.meta.dirname, 'prepare-schema.ts'))});
      const database = new DatabaseSync(${JSON.stringify(file)});
      database.function('cut', () => process.kill(process.pid, 'SIGKILL'));
      const schema = ${JSON.stringify(SECOND)};
      prepareSchema(database, ${JSON.stringify(file)}, { ...schema, steps: [...schema.steps, 'SELECT cut()'] });`;
    const { signal } = spawnSync(process.execPath, ['--input-type=module', '-e', code]);
    expect(signal).toBe('SIGKILL');
    expect(texts(open(`${file}.v1.0`))).toEqual(['one', 'two']);
    expect(texts(open())).toEqual(['one', 'two']);
    const next = open();
    prepareSchema(next, file, SECOND);
    expect(texts(next)).toEqual(['one!', 'two!']);
  });

  it('can still be used by a program of that Fleet that has it open', () => {
    const older = open(file, 1000);
    const insert = older.prepare('INSERT INTO pages (text) VALUES (?)');
    insert.run('three');
    prepareSchema(open(), file, SECOND);
    insert.run('four');
    expect(texts(older)).toEqual(['one!', 'two!', 'three!', 'four']);
  });

  it('is reported as busy while another process migrates it', () => {
    const other = open();
    other.exec('BEGIN IMMEDIATE');
    expect(() => prepareSchema(open(), file, SECOND)).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'upgrading' } }),
    );
    expect(existsSync(`${file}.v1.0`)).toBe(false);
    other.exec('ROLLBACK');
    prepareSchema(open(), file, SECOND);
    expect(existsSync(`${file}.v1.0`)).toBe(true);
  });
});

describe('a database that is new', () => {
  it('is made whole, and needs no copy', () => {
    const path = join(directory, 'new.db');
    expect(prepareSchema(open(path), path, SECOND)).toBe(true);
    expect(prepareSchema(open(path), path, SECOND)).toBe(false);
    expect(readdirSync(directory).filter((name) => name.includes('.v'))).toEqual([]);
  });
});

describe('a database of a newer Fleet', () => {
  it('is refused with the version to use, and nothing of it is touched', () => {
    const newer = open();
    newer.exec(`${SCHEMA_TABLE} INSERT INTO schema VALUES (1, 0, '7.0.0'); PRAGMA user_version = 2`);
    newer.close();
    for (const database of opened.splice(0)) if (database.isOpen) database.close();
    const before = readFileSync(file);
    const database = open();
    expect(() => prepareSchema(database, file, SECOND)).toThrow(
      expect.objectContaining({
        code: 'SERVICE_UNAVAILABLE',
        details: { reason: 'newer_state' },
        message: expect.stringMatching(/^This book was written by Fleet 7\.0\.0 \(schema 2; .*knows 1\)/),
      }),
    );
    database.close();
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(directory)).toEqual(['book.db']);
  });

  it('is used as it is when it is only some steps ahead: steps add, and take nothing away', () => {
    prepareSchema(open(), file, SECOND);
    expect(prepareSchema(open(), file, { ...SECOND, steps: [SCHEMA_TABLE] })).toBe(false);
    expect(open().prepare('SELECT step FROM schema').get()).toEqual({ step: 2 });
  });
});
