import type { Clock } from '../../domain/clock.ts';
import { FLEET_ACTOR } from '../../domain/principal.ts';
import type { Instant } from '../../domain/status.ts';
import type { LogLevel, LogType } from '../../domain/task.ts';
import { cut } from '../../domain/values/text.ts';
import type { Journal, LogEntry } from './journal.ts';
import { LogBudget } from './log-budget.ts';
import { LogBuffer } from './log-buffer.ts';

/** Characters of one log entry, beyond which is cut. */
const LINE_LIMIT = 16_384;
/** What is kept of an agent, and by how much more it may be before it is trimmed. */
export const LOG_LIMITS = { entries: 50_000, bytes: 32 * 1024 * 1024 };
const SLACK = { entries: 5_000, bytes: 4 * 1024 * 1024 };
const FLUSH_AFTER_MS = 100;
const FLUSH_LATE_MS = 1_000;
const FLUSH_AT = 1024 * 1024;
const FLUSH_LINES = 500;
/** Facts are kept for ever: of a log that is cut all the time one a minute tells. */
const TELL_EVERY_MS = 60_000;

/** Gathers log entries and writes them some at a time: a row is cheap, a transaction for each is not. A program
 *  that prints faster than the log is written loses its oldest waiting lines, and is never held up. */
export class LogWriter {
  readonly #journal: Journal;
  readonly #clock: Clock;
  readonly #flushed: () => void;
  readonly #buffer = new LogBuffer();
  readonly #budget: LogBudget;
  #progress: Instant | undefined;
  /** Counts the signs of life. */
  lastSign = 0;
  #timer: NodeJS.Timeout | undefined;
  #lastTime = { at: Number.NaN, text: '' };
  /** Characters that came since it was last thought about writing them; a line counts as some more. */
  #unseen = 0;
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

  /** `detail` is bounded by its writer. */
  write(level: LogLevel, type: LogType, message: string, detail?: string): void {
    const now = this.#clock.now();
    this.#progress = now;
    this.lastSign++;
    const capped = this.#capped(message);
    this.#buffer.push({ at: this.#timeOf(now), level, type, message: capped, detail: detail ?? null });
    this.#unseen += capped.length + (detail?.length ?? 0) + FLUSH_AT / FLUSH_LINES;
    if (this.#unseen < FLUSH_AT) return this.#flushSoon();
    this.#unseen = 0;
    if (this.#isAffordable(now)) this.flush();
    else this.#flushSoon();
  }

  /** A sign of life without words. */
  touch(): void {
    this.lastSign++;
    this.#progress = this.#clock.now();
    this.#flushSoon();
  }

  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#progress === undefined) return;
    const progress = this.#progress;
    if (this.#quietly(() => this.#write(progress))) this.#flushed();
    else this.#flushIn(FLUSH_LATE_MS);
  }

  /** A flush after which all that was cut is told in a fact. */
  settle(): void {
    this.#toldAt = Number.NEGATIVE_INFINITY;
    this.flush();
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#quietly(() => this.#tellOfCut());
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

  /** What waits is bounded and facts tell by themselves that nothing can be written: the log only tries again. */
  #quietly(work: () => void): boolean {
    try {
      work();
      return true;
    } catch {
      return false;
    }
  }

  #flushSoon(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#isAffordable(this.#clock.now())) this.flush();
      else this.#flushIn(FLUSH_LATE_MS);
    }, FLUSH_AFTER_MS);
  }

  #isAffordable({ awake_ms }: Instant): boolean {
    return this.#budget.allows(this.#buffer.size, awake_ms);
  }

  /** Formatting a time costs more than all the rest of an entry. */
  #timeOf({ at }: Instant): string {
    if (this.#lastTime.at !== at) this.#lastTime = { at, text: new Date(at).toISOString() };
    return this.#lastTime.text;
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
  const message = `${entries} entries before this were dropped: they came faster than the log can store`;
  return { at: new Date(at).toISOString(), level: 'WARN', type: 'system', message };
}
