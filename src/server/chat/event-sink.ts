const KEEP_ALIVE_MS = 15_000;

/** A stream of server-sent events that something else fills. */
export interface EventSink {
  readonly response: Response;
  send(event: string, data: object): void;
  end(): void;
}

/** `onGone` is called when the client has stopped reading. */
export function eventSink(onGone: () => void): EventSink {
  const encoder = new TextEncoder();
  let open: ReadableStreamDefaultController<Uint8Array> | undefined;
  const write = (text: string): void => open?.enqueue(encoder.encode(text));
  const timer = setInterval(() => write(': keep-alive\n\n'), KEEP_ALIVE_MS).unref();
  const stop = (): void => {
    open = undefined;
    clearInterval(timer);
  };
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => {
      open = controller;
    },
    cancel: () => {
      stop();
      onGone();
    },
  });
  return {
    response: new Response(body, {
      headers: {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
      },
    }),
    send: (event, data) => write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`),
    end: () => {
      open?.close();
      stop();
    },
  };
}
