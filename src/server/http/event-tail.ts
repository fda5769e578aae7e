import type { FleetEvent } from '../../domain/fleet-event.ts';
import type { EventSource } from '../../fleet/context/event-source.ts';

/** A source may not notice what this process itself has written. */
const LOOK_AGAIN_MS = 1_000;
const BATCH = 100;

/** Some events as they are sent, and the cursor after them. */
export interface EventBatch {
  readonly bytes: Uint8Array;
  readonly cursor: string;
}

/** The events of a fleet for all streams of this process: one wait and one look serve every stream that is at the same
 *  cursor. */
export class EventTail {
  readonly #events: EventSource;
  readonly #signal: AbortSignal;
  readonly #encoder = new TextEncoder();
  /** What was looked at since the wait began: an event that is not in it ends the wait. */
  readonly #looked = new Map<string, EventBatch | undefined>();
  #waiting: Promise<void> | undefined;

  constructor(events: EventSource, signal: AbortSignal) {
    this.#events = events;
    this.#signal = signal;
  }

  /** Resolves when there may be more events than a look after this call finds, at the latest after a second. */
  changed(): Promise<void> {
    this.#waiting ??= this.#events.changed(LOOK_AGAIN_MS, this.#signal).finally(() => {
      this.#waiting = undefined;
      this.#looked.clear();
    });
    return this.#waiting;
  }

  covers(cursor: string): boolean {
    return this.#looked.has(cursor) || this.#events.covers(cursor);
  }

  /** The next events after a cursor; undefined when there are none. To be called after `changed`. */
  next(cursor: string): EventBatch | undefined {
    if (this.#looked.has(cursor)) return this.#looked.get(cursor);
    const events = this.#events.since(cursor, BATCH);
    const last = events.at(-1);
    const text = events.map(frame).join('');
    const batch = last === undefined ? undefined : { bytes: this.#encoder.encode(text), cursor: last.cursor };
    if (this.#waiting !== undefined) this.#looked.set(cursor, batch);
    return batch;
  }
}

function frame({ data, ...head }: FleetEvent): string {
  return `id: ${head.cursor}\nevent: ${head.kind}\ndata: ${JSON.stringify({ ...data, ...head })}\n\n`;
}
