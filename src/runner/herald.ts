import { fieldsChange, stuckChange } from '../domain/changes.ts';
import type { Clock } from '../domain/clock.ts';
import { deriveStatus, type StatusView } from '../domain/status.ts';
import type { Journal } from './journal.ts';
import { publishJournal, summaryOf, type Publisher } from './publisher.ts';

export interface HeraldParts {
  readonly journal: Journal;
  readonly publisher: Publisher;
  readonly clock: Clock;
}

const PROGRESS_EVERY_MS = 1_000;
const RETRY_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Tells the fleet what the journal has, and what time alone makes of it. */
export class Herald {
  readonly #parts: HeraldParts;
  #retry: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #progressToldAt = 0;

  constructor(parts: HeraldParts) {
    this.#parts = parts;
  }

  publish(): void {
    clearTimeout(this.#retry);
    const { journal, publisher, clock } = this.#parts;
    try {
      publishJournal(journal, publisher, clock);
    } catch {
      // The journal has it; the fleet hears of it when it can be told again.
      this.#retry = setTimeout(() => this.publish(), RETRY_MS);
    }
    this.#lookWhenDue();
  }

  /** Signs of life are many: the fleet hears of one a second. */
  publishProgress(): void {
    const { journal, clock } = this.#parts;
    const { awake_ms } = clock.now();
    const often = Math.min(PROGRESS_EVERY_MS, journal.state().stuck_after_ms / 4);
    if (awake_ms - this.#progressToldAt < often) return;
    this.#progressToldAt = awake_ms;
    this.publish();
  }

  /** Tells of fields of the Taskfile that have another value. */
  publishFields(names: readonly string[]): void {
    const { journal, publisher, clock } = this.#parts;
    this.publish();
    if (names.length === 0) return;
    try {
      const at = new Date(clock.now().at).toISOString();
      publisher.publish(summaryOf(journal), [fieldsChange(journal.state(), at, names)]);
    } catch {
      // The summary has the values, and is told again.
    }
  }

  /** The last word. */
  close(): void {
    this.publish();
    clearTimeout(this.#retry);
    clearTimeout(this.#look);
  }

  /** Time alone can make an agent stuck: look again when it would be. */
  #lookWhenDue(): void {
    clearTimeout(this.#look);
    const { look_again_at } = this.#view();
    if (look_again_at === null) return;
    const wait = Math.max(10, look_again_at - this.#parts.clock.now().at);
    this.#look = setTimeout(() => this.#lookNow(), Math.min(LONGEST_TIMER_MS, wait));
  }

  #lookNow(): void {
    const { journal, publisher, clock } = this.#parts;
    const view = this.#view();
    if (!view.stuck) return this.#lookWhenDue();
    try {
      const at = new Date(clock.now().at).toISOString();
      const silent_since = new Date(journal.progress()?.at ?? 0).toISOString();
      publisher.publish(summaryOf(journal), [stuckChange(journal.state(), { at, silent_since }, view)]);
    } catch {
      this.#look = setTimeout(() => this.#lookNow(), RETRY_MS);
    }
  }

  #view(): StatusView {
    const { journal, clock } = this.#parts;
    const progress = journal.progress();
    return deriveStatus(journal.state(), progress === undefined ? {} : { progress }, clock.now());
  }
}
