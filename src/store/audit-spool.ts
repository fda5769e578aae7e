import { randomUUID } from 'node:crypto';
import {
  closeSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { toFleetError } from '../domain/values/errors.ts';
import { identify, isAlive } from '../platform/processes/process-identity.ts';
import { jsonIn } from '../domain/values/text.ts';

/** Time, principal, door, operation, input and outcome, as the store has them. */
export type SpooledRow = readonly [string, string, string, string, string, string];

type Put = (rows: readonly SpooledRow[]) => void;

const LATER_MS = 50;
const MOST = 256;

/** Rows of the audit log on their way to the store. A row is in a file of this process as soon as it is added, so that it
 *  outlives the process, and is put into the store with others: a transaction for each costs ten times as much. */
export class AuditSpool implements Disposable {
  readonly #put: Put;
  readonly #path: string;
  readonly #file: number;
  #waiting: SpooledRow[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(home: string, put: Put) {
    this.#put = put;
    mkdirSync(directoryIn(home), { recursive: true, mode: 0o700 });
    this.#path = join(directoryIn(home), ownName());
    this.#file = openSync(this.#path, 'a', 0o600);
  }

  add(row: SpooledRow): void {
    this.#waiting.push(row);
    if (!this.#append(`${JSON.stringify(row)}\n`) || this.#waiting.length >= MOST) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), LATER_MS).unref();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const rows = this.#waiting;
    if (rows.length === 0) return;
    this.#waiting = [];
    try {
      this.#put(rows);
    } catch (thrown) {
      // What was done is done, also when that cannot be written down.
      console.error(
        `fleet: calls of tools are not in the audit log (${rows.length}): ${toFleetError(thrown).message}`,
      );
    }
    ftruncateSync(this.#file);
  }

  [Symbol.dispose](): void {
    this.flush();
    closeSync(this.#file);
    rmSync(this.#path, { force: true });
  }

  #append(line: string): boolean {
    try {
      return writeSync(this.#file, line) === Buffer.byteLength(line);
    } catch {
      return false;
    }
  }
}

/** Gives what processes that are gone could not put into the store any more. Some of it may be there already. What
 *  cannot be read or put there now, on a disk that is full, is given the next time. */
export function takeLeftRows(home: string, put: Put): void {
  for (const name of namesIn(directoryIn(home))) {
    const path = join(directoryIn(home), name);
    try {
      if (isOfLiving(name)) continue;
      put(rowsIn(path));
      rmSync(path, { force: true });
    } catch {
      continue;
    }
  }
}

function directoryIn(home: string): string {
  return join(home, 'audit');
}

function ownName(): string {
  const { pid, started, boot } = identify(process.pid) ?? { pid: process.pid, started: '', boot: '' };
  return [pid, encodeURIComponent(started), boot, randomUUID()].join('.');
}

function isOfLiving(name: string): boolean {
  const [pid, started = '', boot = ''] = name.split('.');
  return isAlive({ pid: Number(pid), started: decodeURIComponent(started), boot });
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

/** The last line of a process that was killed may be half a line. */
function rowsIn(path: string): readonly SpooledRow[] {
  return readFileSync(path, 'utf8').split('\n').map(jsonIn).filter(isRow);
}

function isRow(value: unknown): value is SpooledRow {
  return Array.isArray(value) && value.length === 6 && value.every((each) => typeof each === 'string');
}
