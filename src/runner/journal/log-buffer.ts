import type { LogEntry } from './journal.ts';

/** How much of a log: kept, or gone. */
export interface LogSize {
  readonly entries: number;
  readonly bytes: number;
}

/** What was cut of a log. */
export interface LogCut {
  readonly entries: number;
  readonly characters: number;
}

const LIMIT: LogSize = { entries: 5_000, bytes: 4 * 1024 * 1024 };

/** Entries that wait to be written. It holds so many; then the oldest are dropped and counted. */
export class LogBuffer {
  #entries: LogEntry[] = [];
  /** Where the oldest is: dropping one must not move all the others. */
  #first = 0;
  #bytes = 0;
  #lost: LogCut = { entries: 0, characters: 0 };

  push(entry: LogEntry): void {
    this.#entries.push(entry);
    this.#bytes += entryBytes(entry);
    while (this.length > LIMIT.entries || (this.#bytes > LIMIT.bytes && this.length > 1)) this.#drop();
    if (this.#first > LIMIT.entries) {
      this.#entries = this.#entries.slice(this.#first);
      this.#first = 0;
    }
  }

  lose({ entries, characters }: LogCut): void {
    this.#lost = {
      entries: this.#lost.entries + entries,
      characters: this.#lost.characters + characters,
    };
  }

  get length(): number {
    return this.#entries.length - this.#first;
  }

  get size(): LogSize {
    return { entries: this.length, bytes: this.#bytes };
  }

  get lost(): LogCut {
    return this.#lost;
  }

  entries(): readonly LogEntry[] {
    return this.#entries.slice(this.#first);
  }

  clear(): void {
    this.#entries = [];
    this.#first = 0;
    this.#bytes = 0;
    this.#lost = { entries: 0, characters: 0 };
  }

  #drop(): void {
    const dropped = this.#entries[this.#first] ?? { message: '' };
    this.#first++;
    this.#bytes -= entryBytes(dropped);
    this.lose({ entries: 1, characters: dropped.message.length });
  }
}

/** What an entry takes of a log. */
export function entryBytes({ message, detail }: Pick<LogEntry, 'message' | 'detail'>): number {
  return Buffer.byteLength(message) + Buffer.byteLength(detail ?? '');
}
