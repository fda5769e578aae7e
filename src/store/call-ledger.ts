import { createHash } from 'node:crypto';
import { FleetError } from '../domain/values/errors.ts';
import type { Actor } from '../domain/principal.ts';
import { cut } from '../domain/values/text.ts';
import { AuditSpool, takeLeftRows, type SpooledRow } from './audit-spool.ts';
import { pruneCalls } from './store-upkeep.ts';
import type { Store } from './store.ts';

const PRUNE_EVERY = 500;

interface Call {
  readonly operation: string;
  readonly actor: Actor;
  readonly input: Readonly<Record<string, unknown>>;
}

type KeyedCall = Call & { readonly key: string };
type EndedCall = Call & { readonly outcome: string };

export interface AuditRow {
  readonly at: string;
  readonly principal: string;
  readonly door: string;
  readonly operation: string;
  readonly input: unknown;
  readonly outcome: string;
}

/** Answers by idempotency key, and the audit log of every change that was asked for. */
export class CallLedger implements Disposable {
  readonly #store: Store;
  #spool: AuditSpool | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  answerTo({ operation, actor, key, input }: KeyedCall): object | undefined {
    const row = this.#store.get(
      'SELECT input_hash, answer FROM answers WHERE principal = ? AND operation = ? AND key = ?',
      actor.principal,
      operation,
      key,
    );
    if (row === undefined) {
      this.#claim({ operation, actor, key, input });
      return undefined;
    }
    if (row['input_hash'] !== hashOf(input)) {
      throw new FleetError(
        'CONFLICT',
        `The idempotency key "${cut(key, 80)}" was used before with another input.`,
        {
          field: 'idempotency_key',
        },
      );
    }
    return row['answer'] === null ? undefined : (JSON.parse(String(row['answer'])) as object);
  }

  keepAnswer({ operation, actor, key }: KeyedCall, answer: object): object {
    const where = [actor.principal, operation, key] as const;
    this.#store.run(
      'UPDATE answers SET answer = ? WHERE principal = ? AND operation = ? AND key = ? AND answer IS NULL',
      JSON.stringify(answer),
      ...where,
    );
    const row = this.#store.get(
      'SELECT answer FROM answers WHERE principal = ? AND operation = ? AND key = ?',
      ...where,
    );
    return row === undefined ? answer : (JSON.parse(String(row['answer'])) as object);
  }

  release({ operation, actor, key }: KeyedCall): void {
    this.#store.run(
      'DELETE FROM answers WHERE principal = ? AND operation = ? AND key = ? AND answer IS NULL',
      actor.principal,
      operation,
      key,
    );
  }

  record(call: EndedCall): void {
    this.#insert(rowOf(call));
  }

  /** Records it at once where it outlives this process, and in the store soon. */
  recordSoon(call: EndedCall): void {
    this.#spool ??= this.#openSpool();
    if (this.#spool === undefined) this.record(call);
    else this.#spool.add(rowOf(call));
  }

  /** Newest first. */
  auditRows(limit: number): readonly AuditRow[] {
    this.#spool?.flush();
    this.#takeLeft();
    return this.#store.all('SELECT * FROM audit ORDER BY id DESC LIMIT ?', limit).map((row) => ({
      at: String(row['at']),
      principal: String(row['principal']),
      door: String(row['door']),
      operation: String(row['operation']),
      input: JSON.parse(String(row['input'])) as unknown,
      outcome: String(row['outcome']),
    }));
  }

  [Symbol.dispose](): void {
    this.#spool?.[Symbol.dispose]();
    this.#spool = undefined;
  }

  /** Undefined where no file can be made. */
  #openSpool(): AuditSpool | undefined {
    this.#takeLeft();
    try {
      return new AuditSpool(this.#store.home, (rows) =>
        this.#store.transaction(() => rows.forEach((row) => this.#insert(row))),
      );
    } catch {
      return undefined;
    }
  }

  #takeLeft(): void {
    takeLeftRows(this.#store.home, (rows) =>
      this.#store.transaction(() =>
        rows.filter((row) => !this.#has(row)).forEach((row) => this.#insert(row)),
      ),
    );
  }

  #insert(row: SpooledRow): void {
    this.#store.run(
      'INSERT INTO audit (at, principal, door, operation, input, outcome) VALUES (?, ?, ?, ?, ?, ?)',
      ...row,
    );
    if (this.#store.lastId() % PRUNE_EVERY === 0) pruneCalls(this.#store, Date.now());
  }

  #has(row: SpooledRow): boolean {
    const found = this.#store.get(
      `SELECT 1 FROM audit
        WHERE at = ? AND principal = ? AND door = ? AND operation = ? AND input = ? AND outcome = ?`,
      ...row,
    );
    return found !== undefined;
  }

  /** The input is bound to the key before anything is done with it. */
  #claim({ operation, actor, key, input }: KeyedCall): void {
    const claimed = this.#store.run(
      `INSERT INTO answers (principal, operation, key, input_hash, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      actor.principal,
      operation,
      key,
      hashOf(input),
      new Date().toISOString(),
    );
    if (claimed === 0) this.answerTo({ operation, actor, key, input });
  }
}

function rowOf({ operation, actor, input, outcome }: EndedCall): SpooledRow {
  const shown: Record<string, unknown> = {};
  for (const key of Object.keys(input)) {
    const value = input[key];
    shown[key] = typeof value === 'string' ? cut(value, 500) : value;
  }
  const text = JSON.stringify(shown);
  return [new Date().toISOString(), actor.principal, actor.door, operation, text, outcome];
}

function hashOf(input: Readonly<Record<string, unknown>>): string {
  const sorted = Object.entries(input).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex');
}
