import { FleetError, quote } from '../../domain/values/errors.ts';
import type { EventSource } from '../../fleet/context/event-source.ts';
import { untilAborted } from '../../platform/until-aborted.ts';
import type { ConversationPulse } from './conversation-pulse.ts';
import type { EventTail } from './event-tail.ts';
import { reportDefect } from '../../platform/report-defect.ts';

const KEEP_ALIVE_MS = 15_000;
/** How long a stream may outlive the token or session that it was opened with. */
const ALLOWED_EVERY_MS = 2_000;
/** Of this one, whatever is kept is all there is. */
const FROM_THE_FIRST = '0';
const encoder = new TextEncoder();

interface StreamOptions {
  /** Events after this one. */
  readonly cursor: string;
  readonly signal: AbortSignal;
  /** Aborted with the text of a last frame to end the stream for a reason. */
  readonly cut: AbortSignal;
  /** Called when it is over, maybe more than once. */
  readonly onEnd: () => void;
  /** False once the client may not read events any more: asked now and then. */
  readonly isAllowed?: (() => boolean) | undefined;
  /** The conversation that the client follows beside the events. */
  readonly pulse?: ConversationPulse | undefined;
}

/** The fleet's events as server-sent events, until the client goes or a signal is aborted. */
export function eventStream(
  tail: EventTail,
  { cursor, signal, cut, onEnd, isAllowed, pulse }: StreamOptions,
): Response {
  const gone = new AbortController();
  const ended = AbortSignal.any([signal, gone.signal]);
  // Also when nobody reads what was made for a client that is gone already.
  ended.addEventListener('abort', onEnd, { once: true });
  const frames = follow({ tail, start: cursor, signal: ended, cut, onEnd, isAllowed, pulse });
  const body = new ReadableStream<Uint8Array>({
    // One batch for each time the client is ready for more: a slow one costs no memory.
    async pull(controller) {
      const { done, value } = await frames.next().catch(endStream);
      if (gone.signal.aborted) return;
      if (done === true) controller.close();
      else controller.enqueue(value);
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

interface Following extends Omit<StreamOptions, 'cursor'> {
  readonly tail: EventTail;
  readonly start: string;
}

async function* follow(following: Following): AsyncGenerator<Uint8Array, void> {
  const { tail, start, signal, cut, onEnd, isAllowed = () => true, pulse } = following;
  const ended = AbortSignal.any([signal, cut]);
  let cursor = start;
  let quietSince = performance.now();
  let allowedAt = quietSince;
  try {
    // Something at once, so that the client knows that it is connected and from when on.
    yield encoder.encode(`: events after ${start}\n\n`);
    while (!ended.aborted) {
      // Asked before looking: what comes between the two is not missed.
      const more = pulse === undefined ? tail.changed() : Promise.race([tail.changed(), pulse.changed()]);
      const changed = settled(untilAborted(more, ended));
      if (performance.now() - allowedAt >= ALLOWED_EVERY_MS) {
        if (!isAllowed()) return;
        allowedAt = performance.now();
      }
      // A reader that is slower than events are kept would miss some: it is told so when it comes again.
      if (cursor !== FROM_THE_FIRST && !tail.covers(cursor)) return;
      for (let batch = tail.next(cursor); batch !== undefined && !ended.aborted; batch = tail.next(cursor)) {
        yield batch.bytes;
        cursor = batch.cursor;
        quietSince = performance.now();
      }
      const frame = pulse?.takeFrame();
      if (frame !== undefined) {
        yield encoder.encode(frame);
        quietSince = performance.now();
      }
      if (performance.now() - quietSince >= KEEP_ALIVE_MS) {
        yield encoder.encode(': keep-alive\n\n');
        quietSince = performance.now();
      }
      const { failure } = await changed;
      if (failure !== undefined && !ended.aborted) throw failure;
    }
    if (cut.aborted && !signal.aborted) yield encoder.encode(String(cut.reason));
  } finally {
    onEnd();
  }
}

/** A promise that may be left alone for a while: its failure is seen by the code that awaits it later. */
function settled(promise: Promise<void>): Promise<{ readonly failure?: Error }> {
  return promise.then(
    () => ({}),
    (thrown: unknown) => ({ failure: thrown instanceof Error ? thrown : new Error(String(thrown)) }),
  );
}

/** The cursor, when every event after it can be told. */
export function checkCursor(events: EventSource, cursor: string): string {
  if (!/^\d{1,15}$/.test(cursor)) {
    throw new FleetError('INVALID_INPUT', `${quote(cursor)} is not a cursor of an event.`, {
      field: 'cursor',
    });
  }
  if (cursor === FROM_THE_FIRST || events.covers(cursor)) return cursor;
  const latest = events.latest();
  if (Number(cursor) > Number(latest)) {
    throw new FleetError(
      'INVALID_INPUT',
      `The cursor ${quote(cursor)} is ahead of this fleet, whose newest event has the cursor ${latest}. Leave out the cursor to get only new events.`,
      { field: 'cursor', reason: 'cursor_ahead', latest },
    );
  }
  throw new FleetError(
    'INVALID_INPUT',
    `Events after the cursor ${quote(cursor)} have been removed. Read the current state (list_agents), then repeat the request without a cursor, or with ${FROM_THE_FIRST} for all stored events.`,
    { field: 'cursor', reason: 'cursor_expired' },
  );
}
