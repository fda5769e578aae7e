import { DatabaseSync, type DatabaseSyncOptions, type StatementSync } from 'node:sqlite';
import { sqliteError, type Damage } from './sqlite-error.ts';

/** A SQLite file whose errors say what is wrong with the disk or the file. */
export class GuardedDatabase extends DatabaseSync {
  readonly #file: string;
  readonly #damage: Damage;

  constructor(
    file: string,
    {
      damage,
      location = file,
      ...options
    }: DatabaseSyncOptions & { readonly damage: Damage; readonly location?: string | URL },
  ) {
    try {
      super(location, options);
    } catch (thrown) {
      throw sqliteError(thrown, file, damage);
    }
    this.#file = file;
    this.#damage = damage;
  }

  override exec(sql: string): void {
    this.#guard(() => super.exec(sql));
  }

  override prepare(sql: string): StatementSync {
    const statement = this.#guard(() => super.prepare(sql));
    const all = statement.all.bind(statement);
    const get = statement.get.bind(statement);
    const run = statement.run.bind(statement);
    statement.all = (...values: never[]) => this.#guard(() => all(...values));
    statement.get = (...values: never[]) => this.#guard(() => get(...values));
    statement.run = (...values: never[]) => this.#guard(() => run(...values));
    return statement;
  }

  #guard<Result>(work: () => Result): Result {
    try {
      return work();
    } catch (thrown) {
      throw sqliteError(thrown, this.#file, this.#damage);
    }
  }
}
