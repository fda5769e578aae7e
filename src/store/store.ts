import { statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { isBusy } from '../platform/lease.ts';
import { prepareSchema, schemaVersion } from '../platform/prepare-schema.ts';
import { STORE_SCHEMA } from './store-schema.ts';

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
    try {
      this.isNew = prepareSchema(this.#database, this.#file, STORE_SCHEMA);
    } catch (thrown) {
      this.#database.close();
      throw thrown;
    }
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
    if (schemaVersion(database) !== STORE_SCHEMA.version) {
      // It is only just being made, or by a newer Fleet.
      database.close();
      return false;
    }
    prepareSchema(database, this.#file, STORE_SCHEMA);
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
