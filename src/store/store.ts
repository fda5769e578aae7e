import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../domain/errors.ts';
import { isBusy } from '../platform/lease.ts';

export const STORE_VERSION = 1;

const TABLES = `
  CREATE TABLE agents (
    workspace_id TEXT PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL UNIQUE, project TEXT NOT NULL,
    role TEXT NOT NULL, created_at TEXT NOT NULL, created_by TEXT NOT NULL, key TEXT NOT NULL,
    tombstone TEXT, unreachable_since INTEGER, runner TEXT, origin TEXT NOT NULL
  ) STRICT;
  CREATE TABLE summaries (
    workspace_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, state TEXT NOT NULL, progress TEXT, git TEXT,
    pull_request TEXT
  ) STRICT;
  CREATE TABLE events (
    cursor INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, kind TEXT NOT NULL, agent_name TEXT NOT NULL,
    workspace_id TEXT NOT NULL, seq INTEGER NOT NULL, data TEXT NOT NULL, UNIQUE (workspace_id, seq, kind)
  ) STRICT;
  CREATE TABLE slots (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL UNIQUE, holder TEXT NOT NULL,
    room INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE answers (
    principal TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, input_hash TEXT NOT NULL,
    answer TEXT, at TEXT NOT NULL, PRIMARY KEY (principal, operation, key)
  ) STRICT;
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, principal TEXT NOT NULL, door TEXT NOT NULL,
    operation TEXT NOT NULL, input TEXT NOT NULL, outcome TEXT NOT NULL
  ) STRICT;
`;

const POLL_MS = 60;

type Row = Record<string, unknown>;

/** The one database that all processes of a fleet share. What it says of agents can be rebuilt from their journals. */
export class Store implements Disposable {
  readonly #file: string;
  #database: DatabaseSync;
  #inode: number;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  /** SQLite tells of what other connections wrote, not of this one's own. */
  #ownWrites = 0;
  /** True when this process made the store: there may be journals that it does not know of. */
  readonly isNew: boolean;

  constructor(home: string) {
    this.#file = join(home, 'store.db');
    this.#database = openDatabase(this.#file);
    this.#inode = statSync(this.#file).ino;
    this.isNew = this.#prepareSchema();
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    const changes = Number(this.#statement(sql).run(...values).changes);
    this.#ownWrites += changes;
    return changes;
  }

  /** One transaction; `durable` when it must survive a power cut. */
  transaction<Result>(work: () => Result, durable = false): Result {
    this.#database.exec(`PRAGMA synchronous = ${durable ? 'FULL' : 'NORMAL'}`);
    this.#database.exec('BEGIN IMMEDIATE');
    try {
      const result = work();
      this.#database.exec('COMMIT');
      return result;
    } catch (thrown) {
      if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
      throw thrown;
    }
  }

  /** Resolves when somebody has written, at the latest after `timeout_ms`. */
  async changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    const before = this.#dataVersion();
    const end = performance.now() + timeout_ms;
    while (performance.now() < end && this.#dataVersion() === before) {
      await delay(Math.max(1, Math.min(POLL_MS, end - performance.now())), undefined, { signal });
    }
  }

  /** For those that live long: a store that was lost and made anew is another file. True when it was changed to. */
  reopenIfReplaced(): boolean {
    const inode = statSync(this.#file, { throwIfNoEntry: false })?.ino;
    if (inode === undefined || inode === this.#inode) return false;
    const database = openDatabase(this.#file);
    if (versionOf(database) !== STORE_VERSION) {
      // It is only just being made.
      database.close();
      return false;
    }
    this[Symbol.dispose]();
    this.#database = database;
    this.#inode = inode;
    return true;
  }

  [Symbol.dispose](): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #dataVersion(): string {
    return `${String(this.get('PRAGMA data_version')?.['data_version'])} ${this.#ownWrites}`;
  }

  #statement(sql: string): ReturnType<DatabaseSync['prepare']> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #prepareSchema(): boolean {
    const version = versionOf(this.#database);
    if (version === STORE_VERSION) return false;
    if (version > STORE_VERSION) {
      this[Symbol.dispose]();
      throw new FleetError(
        'SERVICE_UNAVAILABLE',
        `This fleet was last used by a newer Fleet (schema ${version}, this one knows ${STORE_VERSION}). Use that version.`,
        { reason: 'newer_state' },
      );
    }
    return this.transaction(() => {
      if (versionOf(this.#database) !== 0) return false;
      this.#database.exec(TABLES);
      this.#database.exec(`PRAGMA user_version = ${STORE_VERSION}`);
      return true;
    }, true);
  }
}

function versionOf(database: DatabaseSync): number {
  return Number(database.prepare('PRAGMA user_version').get()?.['user_version'] ?? 0);
}

/** Many processes may open a new store at once, and switching it to WAL does not wait: try again. */
function openDatabase(file: string): DatabaseSync {
  for (let attempt = 1; ; attempt++) {
    const database = new DatabaseSync(file, { timeout: 10_000 });
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return database;
    } catch (thrown) {
      database.close();
      if (!isBusy(thrown) || attempt === 100) throw thrown;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
