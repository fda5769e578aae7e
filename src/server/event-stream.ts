import { FleetError, quote } from '../domain/errors.ts';
import type { FleetEvent } from '../domain/fleet-event.ts';
import type { EventSource } from '../fleet/event-source.ts';
import { reportDefect } from './report-defect.ts';

const KEEP_ALIVE_MS = 15_000;
/** A source may not notice what this process itself has written. */
const LOOK_AGAIN_MS = 1_000;
const BATCH = 500;
/** Of this one, whatever is kept is all there is. */
const FROM_THE_FIRST = '0';

interface StreamOptions {
  /** Events after this one. */
  readonly cursor: string;
  readonly signal: AbortSignal;
  /** Called when it is over, maybe more than once. */
  readonly onEnd: () => void;
}

/** The fleet's events as server-sent events, until the client goes or the signal is aborted. */
export function eventStream(events: EventSource, { cursor, signal, onEnd }: StreamOptions): Response {
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  // Also when nobody reads what was made for a client that is gone already.
  ended.addEventListener('abort', onEnd, { once: true });
  const frames = follow({ events, start: cursor, signal: ended, onEnd });
  const encoder = new TextEncoder();
  const body = new ReadableStream<Uint8Array>({
    // One batch for each time the client is ready for more: a slow one costs no memory.
    async pull(controller) {
      const { done, value } = await frames.next().catch(endStream);
      if (gone.signal.aborted) return;
      if (done === true) controller.close();
      else controller.enqueue(encoder.encode(value));
    },
    async cancel() {
      gone.abort();
      await frames.return();
    },
  });
  return new Response(body, {
    headers: {
      'Content-Type': 'text/event-stream',
      'Cache-Control': 'no-cache, no-transform',
      'X-Accel-Buffering': 'no',
    },
  });
}

/** The text of a defect is not for the client, which comes again with its last cursor. */
function endStream(thrown: unknown): IteratorReturnResult<undefined> {
  reportDefect(thrown, '/events');
  return { done: true, value: undefined };
}

interface Following {
  readonly events: EventSource;
  readonly start: string;
  readonly signal: AbortSignal;
  readonly onEnd: () => void;
}

async function* follow({ events, start, signal, onEnd }: Following): AsyncGenerator<string, void> {
  let cursor = start;
  let quietSince = performance.now();
  try {
    // Something at once, so that the client knows that it is connected and from when on.
    yield `: events after ${start}\n\n`;
    while (!signal.aborted) {
      // Asked before looking: what comes between the two is not missed.
      const changed = settled(events.changed(LOOK_AGAIN_MS, signal));
      // A reader that is slower than events are kept would miss some: it hears so when it comes again.
      if (cursor !== FROM_THE_FIRST && !events.covers(cursor)) return;
      for (let batch = events.since(cursor, BATCH); batch.length > 0; batch = events.since(cursor, BATCH)) {
        yield batch.map(frame).join('');
        cursor = batch.at(-1)?.cursor ?? cursor;
        quietSince = performance.now();
      }
      if (performance.now() - quietSince >= KEEP_ALIVE_MS) {
        yield ': keep-alive\n\n';
        quietSince = performance.now();
      }
      const { failure } = await changed;
      if (failure !== undefined && !signal.aborted) throw failure;
    }
  } finally {
    onEnd();
  }
}

/** A promise that may be left alone for a while: its failure waits for whoever looks. */
function settled(promise: Promise<void>): Promise<{ readonly failure?: Error }> {
  return promise.then(
    () => ({}),
    (thrown: unknown) => ({ failure: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
  );
}

function frame({ data, ...head }: FleetEvent): string {
  return `id: ${head.cursor}\nevent: ${head.kind}\ndata: ${JSON.stringify({ ...data, ...head })}\n\n`;
}

/** The cursor, when every event after it can be told. */
export function checkCursor(events: EventSource, cursor: string): string {
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new FleetError('INVALID_INPUT', `${quote(cursor)} is not a cursor that an event gave.`, {
      field: 'cursor',
    });
  }
  if (cursor === FROM_THE_FIRST || events.covers(cursor)) return cursor;
  throw new FleetError(
    'INVALID_INPUT',
    `Events after the cursor ${quote(cursor)} are gone: they are kept for a time. Look at what is there now (list_agents), then ask without a cursor, or with ${FROM_THE_FIRST} for all that is kept.`,
    { field: 'cursor', reason: 'cursor_expired' },
  );
}
