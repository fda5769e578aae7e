import type { Clock } from '../domain/clock.ts';
import { FLEET_ACTOR } from '../domain/principal.ts';
import type { Instant } from '../domain/status.ts';
import type { LogLevel, LogType } from '../domain/task.ts';
import { cut } from '../domain/text.ts';
import type { Journal, LogEntry } from './journal.ts';

/** Characters of one log entry, and entries of one agent, beyond which is cut. */
const LINE_LIMIT = 16_384;
const ENTRY_LIMIT = 50_000;
const TRIM_EVERY = 5_000;
const FLUSH_AFTER_MS = 100;
const FLUSH_AT = 500;

/** Gathers log entries and writes them some at a time: a row is cheap, a transaction for each is not. */
export class LogWriter {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #flushed: () => void;
  #pending: LogEntry[] = [];
  #progress: Instant | undefined;
  #timer: NodeJS.Timeout | undefined;
  #length: number;
  #cutCharacters = 0;

  constructor(journal: Journal, clock: Clock, flushed: () => void) {
    this.#journal = journal;
    this.#clock = clock;
    this.#flushed = flushed;
    this.#length = journal.logLength();
  }

  write(level: LogLevel, type: LogType, message: string): void {
    const now = this.#clock.now();
    this.#progress = now;
    this.#pending.push({ at: new Date(now.at).toISOString(), level, type, message: this.#capped(message) });
    if (this.#pending.length >= FLUSH_AT) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS);
  }

  /** A sign of life without words. */
  touch(): void {
    this.#progress = this.#clock.now();
    this.#timer ??= setTimeout(() => this.flush(), FLUSH_AFTER_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#progress === undefined) return;
    const entries = this.#pending;
    this.#pending = [];
    this.#journal.appendLog(entries, this.#progress);
    this.#progress = undefined;
    this.#length += entries.length;
    this.#trim();
    this.#flushed();
  }

  #capped(message: string): string {
    if (message.length <= LINE_LIMIT) return message;
    const kept = cut(message, LINE_LIMIT + 1);
    const lost = message.length - kept.length + 1;
    this.#cutCharacters += lost;
    return `${kept} (${lost} more characters cut)`;
  }

  /** What is cut is itself a fact. */
  #trim(): void {
    const over = this.#length > ENTRY_LIMIT + TRIM_EVERY;
    if (!over && this.#cutCharacters === 0) return;
    const dropped = over ? this.#journal.trimLog(ENTRY_LIMIT) : { entries: 0, characters: 0 };
    if (over) this.#length = ENTRY_LIMIT;
    this.#journal.append(FLEET_ACTOR, {
      kind: 'log.cut',
      entries: dropped.entries,
      characters: dropped.characters + this.#cutCharacters,
    });
    this.#cutCharacters = 0;
  }
}
