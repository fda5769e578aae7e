import { checkpointChange, fieldsChange, stuckChange, type Change } from '../domain/changes.ts';
import type { DriverFact, FactKind } from '../domain/fact.ts';
import { deriveStatus, type StatusView } from '../domain/status.ts';
import { toFleetError } from '../domain/values/errors.ts';
import { mayPass } from './journal/append-with-retry.ts';
import type { Journal } from './journal/journal.ts';
import { publishJournal, type JournalToPublish } from './journal/publisher.ts';
import type { MadeCheckpoint } from './workspace.ts';

export interface StatePublisherParts extends JournalToPublish {
  readonly journal: Journal;
  /** Writes a defect to the agent's log. */
  complain(problem: string): void;
}

const PROGRESS_EVERY_MS = 1_000;
const RETRY_MS = 500;
const LONGEST_TIMER_MS = 2 ** 31 - 1;
/** A busy agent makes many of these facts: they are published with its signs of life. */
const WITH_PROGRESS: ReadonlySet<FactKind> = new Set<DriverFact['kind']>([
  'session.opened',
  'tool.opened',
  'tool.ended',
  'turn.retried',
  'usage',
]);

/** Publishes each fact of the journal to the fleet, and what follows from it with time alone. */
export class StatePublisher {
  readonly #parts: StatePublisherParts;
  readonly #reported = new Set<string>();
  /** Fields of the Taskfile with another value than the published one. */
  readonly #fields = new Set<string>();
  /** Checkpoints that are not published yet. */
  readonly #checkpoints: Change[] = [];
  #retry: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;
  #progressToldAt = 0;
  #held = false;
  #due = false;

  constructor(parts: StatePublisherParts) {
    this.#parts = parts;
    parts.journal.onFact(({ body }) => {
      if (!WITH_PROGRESS.has(body.kind)) this.#publishSoon();
    });
  }

  /** Publishes nothing until the hold is disposed: the facts so far are only a part of the news. */
  hold(): Disposable {
    this.#held = true;
    return {
      [Symbol.dispose]: () => {
        this.#held = false;
        this.publish();
      },
    };
  }

  /** For changes that are not facts. */
  publish(): void {
    this.#due = false;
    if (this.#held) return;
    clearTimeout(this.#retry);
    const { journal, clock } = this.#parts;
    const isDone = this.#attempt(() => {
      const at = new Date(clock.now().at).toISOString();
      publishJournal(this.#parts, [
        ...(this.#fields.size === 0 ? [] : [fieldsChange(journal.state(), at, [...this.#fields])]),
        ...this.#checkpoints,
      ]);
      this.#fields.clear();
      this.#checkpoints.length = 0;
      this.#lookWhenDue();
    });
    if (!isDone) this.#retry = setTimeout(() => this.publish(), RETRY_MS);
  }

  /** Signs of life are many: one a second is published. */
  publishProgress(): void {
    const { journal, clock } = this.#parts;
    const { awake_ms } = clock.now();
    const often = Math.min(PROGRESS_EVERY_MS, journal.state().stuck_after_ms / 4);
    if (awake_ms - this.#progressToldAt < often) return;
    this.#progressToldAt = awake_ms;
    this.publish();
  }

  /** Publishes that these fields of the Taskfile have another value. */
  publishFields(names: readonly string[]): void {
    for (const name of names) this.#fields.add(name);
    this.publish();
  }

  /** Publishes that a checkpoint was made. */
  publishCheckpoint(made: MadeCheckpoint): void {
    const { journal, clock } = this.#parts;
    this.#checkpoints.push(checkpointChange(journal.state(), new Date(clock.now().at).toISOString(), made));
    this.publish();
  }

  /** Publishes for the last time. */
  close(): void {
    this.#held = false;
    this.publish();
    clearTimeout(this.#retry);
    clearTimeout(this.#look);
  }

  /** A microtask: once for the facts of a transaction, and before the request that caused them is answered. */
  #publishSoon(): void {
    if (this.#due) return;
    this.#due = true;
    queueMicrotask(() => {
      if (this.#due) this.publish();
    });
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
    // The end of the hold publishes, and then looks.
    if (this.#held) return;
    const { journal, clock } = this.#parts;
    const isDone = this.#attempt(() => {
      const view = this.#view();
      if (!view.stuck) return this.#lookWhenDue();
      const at = new Date(clock.now().at).toISOString();
      const silent_since = new Date(journal.progress()?.at ?? 0).toISOString();
      publishJournal(this.#parts, [stuckChange(journal.state(), { at, silent_since }, view)]);
    });
    if (!isDone) this.#look = setTimeout(() => this.#lookNow(), RETRY_MS);
  }

  /** False when it failed and may succeed later. A defect is reported instead: another attempt would not help. */
  #attempt(work: () => void): boolean {
    try {
      work();
    } catch (thrown) {
      if (mayPass(toFleetError(thrown))) return false;
      this.#report(thrown);
    }
    return true;
  }

  #report(thrown: unknown): void {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    if (this.#reported.has(message)) return;
    this.#reported.add(message);
    console.error(thrown);
    this.#parts.complain(`Internal error: the state of the agent cannot be published: ${message}`);
  }

  #view(): StatusView {
    const { journal, clock } = this.#parts;
    const progress = journal.progress();
    return deriveStatus(journal.state(), progress === undefined ? {} : { progress }, clock.now());
  }
}
