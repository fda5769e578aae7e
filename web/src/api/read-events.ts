import { EventSourceParserStream } from 'eventsource-parser/stream';

export interface ServerEvent {
  /** Empty for an event that a client does not resume after. */
  readonly id: string;
  readonly event: string;
  readonly data: string;
}

/** The events of a stream, as they arrive. An EventSource cannot send a header. */
export async function* readEvents(
  body: ReadableStream<Uint8Array<ArrayBuffer>>,
): AsyncGenerator<ServerEvent> {
  const reader = body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream())
    .getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      yield { id: value.id ?? '', event: value.event ?? 'message', data: value.data };
    }
  } finally {
    await reader.cancel().catch(() => {});
  }
}
