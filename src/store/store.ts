import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, SQLInputValue } from 'node:sqlite';
import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../domain/values/errors.ts';
import { openStill } from '../platform/database/open-still.ts';
import { WriteWatch } from '../platform/database/write-watch.ts';
import { checkNotNewer, prepareSchema, schemaVersion } from '../platform/database/prepare-schema.ts';
import {
  ALL_IN_ONE_FILE,
  damagedName,
  removeDatabase,
  replaceDatabase,
} from '../platform/database/replace-database.ts';
import { lockStore, openDatabase } from './store-file.ts';
import { STORE_SCHEMA } from './store-schema.ts';

const POLL_MS = 60;
const SETTLE_MS = 2;
const TOGETHER_MS = 4;

type Row = Record<string, unknown>;

/** Fills a store that was created again; `damaged` is the file of the one before, when there is one. */
export type FillStore = (store: Store, damaged: string | undefined) => void;

/** The one database that all processes of a fleet share. What it says of agents can be rebuilt from their journals:
 *  one that is missing or damaged is created again by the process that notices it. */
export class Store implements Disposable {
  readonly home: string;
  readonly #file: string;
  readonly #fill: FillStore;
  #database: DatabaseSync;
  #inode: number;
  readonly #statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  /** SQLite tells of what other connections wrote, not of this one's own. */
  #ownWrites = 0;
  #lastId = 0;
  #filling = false;
  #closed = false;
  #still = false;
  #replaced = false;
  #replacements = 0;
  /** True when this process made the store. */
  isNew = false;

  constructor(home: string, fill: FillStore = () => {}) {
    this.home = home;
    this.#file = join(home, 'store.db');
    this.#fill = fill;
    this.#database = this.#open();
    this.#inode = inodeOf(this.#file);
  }

  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#attempt(() => this.#statement(sql).all(...values));
  }

  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#attempt(() => this.#statement(sql).get(...values));
  }

  /** Returns the number of changed rows. */
  run(sql: string, ...values: SQLInputValue[]): number {
    const { changes, lastInsertRowid } = this.#attempt(() => this.#statement(sql).run(...values));
    this.#ownWrites += Number(changes);
    this.#lastId = Number(lastInsertRowid);
    return Number(changes);
  }

  /** The number of the row that this connection added last. */
  lastId(): number {
    return this.#lastId;
  }

  /** One transaction; `durable` when it must survive a power cut. */
  transaction<Result>(work: () => Result, durable = false): Result {
    return this.#attempt(() => {
      // One that is only just being made has nothing to lose.
      const sync = this.#filling ? 'OFF' : durable ? 'FULL' : 'NORMAL';
      this.#database.exec(`PRAGMA synchronous = ${sync}`);
      this.#database.exec('BEGIN IMMEDIATE');
      try {
        const result = work();
        this.#database.exec('COMMIT');
        return result;
      } catch (thrown) {
        if (this.#database.isTransaction) this.#database.exec('ROLLBACK');
        // What was read meanwhile is not so.
        this.#ownWrites++;
        throw thrown;
      }
    });
  }

  /** Resolves when somebody has written, at the latest after `timeout_ms`. */
  async changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    const before = this.version();
    const end = performance.now() + timeout_ms;
    while (performance.now() < end && this.version() === before) {
      await delay(Math.max(1, Math.min(POLL_MS, end - performance.now())), undefined, { signal });
    }
  }

  /** As `changed`, and within a few milliseconds where the system tells of writes: for those to whom a look costs little. */
  async changedSoon(timeout_ms: number, signal: AbortSignal, poll_ms = POLL_MS): Promise<void> {
    const before = this.version();
    const end = performance.now() + timeout_ms;
    using writes = new WriteWatch(this.#file);
    let wait = poll_ms;
    while (this.version() === before) {
      const left = end - performance.now();
      if (left <= 0) return;
      const written = await writes.next(Math.max(1, Math.min(wait, left)), signal);
      // A transaction is complete a little after its writes.
      wait = written ? SETTLE_MS : Math.min(poll_ms, wait * 2);
    }
    // Many writes in a row are one change.
    await delay(TOGETHER_MS, undefined, { signal });
  }

  /** Another text after each change of the store, by any process. */
  version(): string {
    const { data_version } = this.get('PRAGMA data_version') ?? {};
    return `${this.#replacements} ${String(data_version)} ${this.#ownWrites}`;
  }

  /** Which store this connection is to: another number after it was replaced. It cannot be within a transaction. */
  get edition(): number {
    return this.#replacements;
  }

  /** For those that have told a store of themselves: true when it is another one than at the last call. */
  reopenIfReplaced(): boolean {
    this.#look();
    const replaced = this.#replaced;
    this.#replaced = false;
    return replaced;
  }

  [Symbol.dispose](): void {
    this.#closed = true;
    this.#close();
  }

  #close(): void {
    this.#statements.clear();
    if (this.#database.isOpen) this.#database.close();
  }

  #statement(sql: string): ReturnType<DatabaseSync['prepare']> {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  /** A store that turns out to be damaged is replaced, and what was asked of it is asked again of the new one. */
  #attempt<Result>(work: () => Result): Result {
    if (this.#filling || (this.#database.isOpen && this.#database.isTransaction)) return work();
    this.#look();
    try {
      return work();
    } catch (thrown) {
      if (!(thrown instanceof FleetError) || thrown.details.reason !== 'store_corrupt') throw thrown;
      this.#change(this.#make(this.#inode));
      return work();
    }
  }

  /** A store that was lost, or that another process created again, is another file. */
  #look(): void {
    const isSame = this.#database.isOpen && inodeOf(this.#file) === this.#inode;
    if (this.#closed || (isSame && !this.#still)) return;
    this.#change(this.#open());
  }

  /** Where nothing can be written, what lies still can be read; with each look it is tried to open it as it should be. */
  #open(): DatabaseSync {
    this.#still = false;
    try {
      return openExisting(this.#file) ?? this.#make();
    } catch (thrown) {
      if (!existsSync(this.#file)) throw thrown;
      const database = openStill(this.#file, { damage: STORE_SCHEMA.damage, met: thrown });
      checkNotNewer(database, STORE_SCHEMA);
      this.#still = true;
      return database;
    }
  }

  #change(database: DatabaseSync): void {
    this.#close();
    this.#database = database;
    this.#inode = inodeOf(this.#file);
    this.#replaced = true;
    this.#replacements++;
  }

  /** Nobody sees a store before it is whole: it is made beside its place. `condemned` is the one that must go. */
  #make(condemned?: number): DatabaseSync {
    using _lock = lockStore(this.home);
    const found = inodeOf(this.#file) === condemned ? undefined : openExisting(this.#file);
    if (found !== undefined) return found;
    const fresh = `${this.#file}.new`;
    removeDatabase(fresh);
    try {
      const made = openDatabase(fresh);
      prepareSchema(made, fresh, STORE_SCHEMA);
      this.#fillFrom(made);
    } catch (thrown) {
      removeDatabase(fresh);
      throw thrown;
    }
    const kept = damagedName(this.#file);
    if (replaceDatabase(this.#file, fresh, kept)) {
      console.error(`fleet: the store was damaged: it is kept as ${kept}, and was rebuilt from the journals`);
    }
    this.isNew = true;
    return openDatabase(this.#file);
  }

  #fillFrom(made: DatabaseSync): void {
    this.#statements.clear();
    const before = #database in this ? this.#database : undefined;
    this.#database = made;
    this.#filling = true;
    try {
      this.#fill(this, existsSync(this.#file) ? this.#file : undefined);
      made.exec(ALL_IN_ONE_FILE);
    } finally {
      this.#filling = false;
      this.#statements.clear();
      made.close();
      if (before !== undefined) this.#database = before;
    }
  }
}

/** The store that is there; undefined when there is none that can be used. */
function openExisting(file: string): DatabaseSync | undefined {
  if (!existsSync(file)) return undefined;
  try {
    return prepared(openDatabase(file), file);
  } catch (thrown) {
    // A file that somebody sets aside at this moment cannot be opened any more.
    if (!existsSync(file)) return undefined;
    if (thrown instanceof FleetError && thrown.details.reason === 'store_corrupt') return undefined;
    throw thrown;
  }
}

/** One that holds nothing was emptied: a store is whole from the moment on that it is there. */
function prepared(database: DatabaseSync, file: string): DatabaseSync | undefined {
  try {
    if (schemaVersion(database) > 0) {
      prepareSchema(database, file, STORE_SCHEMA);
      return database;
    }
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  database.close();
  return undefined;
}

/** 0 when it is not there. */
function inodeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0;
}
