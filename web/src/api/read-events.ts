import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface ServerEvent {
  /** Empty for an event that a client does not resume after. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The events of a stream, as they arrive; `onSign` is called for whatever arrives, also for what only keeps the connection
 *  alive. An EventSource cannot send a header. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
  onSign: () => void = () => {},
): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream({ onComment: onSign }))
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      onSign();
      yield { id: value.id ?? '', event: value.event ?? 'message', data: value.data };
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
