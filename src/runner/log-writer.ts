import type { Clock } from '../domain/clock.ts';
import { FLEET_ACTOR } from '../domain/principal.ts';
import type { Instant } from '../domain/status.ts';
import type { LogLevel, LogType } from '../domain/task.ts';
import { cut } from '../domain/text.ts';
import type { Journal, LogEntry } from './journal.ts';
import { LogBudget } from './log-budget.ts';
import { LogBuffer } from './log-buffer.ts';

/** Characters of one log entry, beyond which is cut. */
const LINE_LIMIT = 16_384;
/** What is kept of an agent, and by how much more it may be before it is trimmed. */
export const LOG_LIMITS = { entries: 50_000, bytes: 32 * 1024 * 1024 };
const SLACK = { entries: 5_000, bytes: 4 * 1024 * 1024 };
const FLUSH_AFTER_MS = 100;
const FLUSH_AT = 500;
/** Facts are kept for ever: of a log that is cut all the time one a minute tells. */
const TELL_EVERY_MS = 60_000;
const RETRY_MS = 1_000;

/** Gathers log entries and writes them some at a time: a row is cheap, a transaction for each is not. Whoever prints
 *  faster than the log takes loses the oldest of what waits, and is never held up by it. */
export class LogWriter {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #flushed: () => void;
  readonly #buffer = new LogBuffer();
  readonly #budget: LogBudget;
  #progress: Instant | undefined;
  #timer: NodeJS.Timeout | undefined;
  #toldAt = Number.NEGATIVE_INFINITY;

  constructor(journal: Journal, clock: Clock, flushed: () => void) {
    this.#journal = journal;
    this.#clock = clock;
    this.#flushed = flushed;
    this.#budget = new LogBudget(
      { entries: LOG_LIMITS.entries + SLACK.entries, bytes: LOG_LIMITS.bytes + SLACK.bytes },
      clock.now().awake_ms,
    );
  }

  write(level: LogLevel, type: LogType, message: string): void {
    const now = this.#clock.now();
    this.#progress = now;
    this.#buffer.push({
      at: new Date(now.at).toISOString(),
      level,
      type,
      message: this.#capped(message),
    });
    if (this.#buffer.length >= FLUSH_AT && this.#budget.allows(this.#buffer.size, now.awake_ms)) this.flush();
    else this.#flushIn(FLUSH_AFTER_MS);
  }

  /** A sign of life without words. */
  touch(): void {
    this.#progress = this.#clock.now();
    this.#flushIn(FLUSH_AFTER_MS);
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#progress === undefined) return;
    try {
      this.#write(this.#progress);
    } catch {
      // What waits is bounded, and facts say by themselves that nothing can be written: the log tries again.
      return this.#flushIn(RETRY_MS);
    }
    this.#flushed();
  }

  /** The last flush; what was cut and is not told yet becomes a fact. */
  close(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.flush();
    clearTimeout(this.#timer);
    this.#tellOfCut();
  }

  #write(progress: Instant): void {
    const { size, lost } = this.#buffer;
    const entries =
      lost.entries === 0 ? this.#buffer.entries() : [gap(lost.entries, progress), ...this.#buffer.entries()];
    this.#journal.entries.append(entries, progress, lost);
    this.#budget.spend(size, progress.awake_ms);
    this.#buffer.clear();
    this.#progress = undefined;
    const { size: kept } = this.#journal.entries;
    if (kept.entries > LOG_LIMITS.entries + SLACK.entries || kept.bytes > LOG_LIMITS.bytes + SLACK.bytes)
      this.#journal.entries.trim(LOG_LIMITS);
    this.#tellOfCut();
  }

  #flushIn(ms: number): void {
    this.#timer ??= setTimeout(() => this.flush(), ms);
  }

  #capped(message: string): string {
    if (message.length <= LINE_LIMIT) return message;
    const kept = cut(message, LINE_LIMIT + 1);
    const lost = message.length - kept.length + 1;
    this.#buffer.lose({ entries: 0, characters: lost });
    return `${kept} (${lost} more characters cut)`;
  }

  /** What is cut is itself a fact. */
  #tellOfCut(): void {
    const cutSoFar = this.#journal.entries.cut();
    if (cutSoFar.entries === 0 && cutSoFar.characters === 0) return;
    const { awake_ms } = this.#clock.now();
    if (awake_ms - this.#toldAt < TELL_EVERY_MS) return;
    this.#toldAt = awake_ms;
    this.#journal.append(FLEET_ACTOR, { kind: 'log.cut', ...cutSoFar });
  }
}

function gap(entries: number, { at }: Instant): LogEntry {
  const message = `${entries} entries before this were not kept: they came faster than the log takes them`;
  return { at: new Date(at).toISOString(), level: 'WARN', type: 'system', message };
}
