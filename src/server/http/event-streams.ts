import type { EventSource } from '../../fleet/context/event-source.ts';
import { joinSignals } from '../../platform/join-signals.ts';
import type { ConversationPulse } from './conversation-pulse.ts';
import { eventStream } from './event-stream.ts';
import { EventTail } from './event-tail.ts';

const MOST = 500;
/** A client that does not take its last frame within this time is cut off without it. */
const LAST_FRAME_MS = 1_000;

export interface EventStreamsParts {
  readonly events: EventSource;
  /** Ends all of them. */
  readonly signal: AbortSignal;
  readonly most?: number | undefined;
}

interface StreamRequest {
  /** Events after this one. */
  readonly cursor: string;
  readonly signal: AbortSignal;
  /** Ends the connection of a client that reads nothing. */
  readonly disconnect: () => void;
  /** False once the client's token or session is gone. */
  readonly isAllowed?: (() => boolean) | undefined;
  /** Follows a conversation until the signal is aborted. */
  readonly follow?: ((signal: AbortSignal) => ConversationPulse) | undefined;
}

/** The open event streams of this process. There are so many at most: a new one ends the oldest, which reconnects when
 *  somebody still reads it. */
export class EventStreams {
  readonly #tail: EventTail;
  readonly #signal: AbortSignal;
  readonly #most: number;
  readonly #open = new Set<() => void>();

  constructor({ events, signal, most = MOST }: EventStreamsParts) {
    this.#tail = new EventTail(events, signal);
    this.#signal = signal;
    this.#most = most;
  }

  open({ cursor, signal, disconnect, isAllowed, follow }: StreamRequest): Response {
    const ending = new AbortController();
    const joined = joinSignals(this.#signal, signal, ending.signal);
    const cutting = new AbortController();
    let late: NodeJS.Timeout | undefined;
    const cut = (): void => {
      this.#open.delete(cut);
      late = setTimeout(disconnect, LAST_FRAME_MS).unref();
      cutting.abort(this.#lastFrame());
    };
    this.#open.add(cut);
    const onEnd = (): void => {
      clearTimeout(late);
      this.#open.delete(cut);
      ending.abort();
      joined[Symbol.dispose]();
    };
    const { signal: ended } = joined;
    const pulse = follow?.(ended);
    const response = eventStream(this.#tail, {
      cursor,
      signal: ended,
      cut: cutting.signal,
      onEnd,
      isAllowed,
      pulse,
    });
    for (const oldest of this.#open) {
      if (this.#open.size <= this.#most) break;
      oldest();
    }
    return response;
  }

  #lastFrame(): string {
    const message = `This server sends at most ${this.#most} event streams; this was the oldest. Reconnect with the last cursor.`;
    return `retry: 30000\nevent: closed\ndata: ${JSON.stringify({ reason: 'too_many_streams', message })}\n\n`;
  }
}
