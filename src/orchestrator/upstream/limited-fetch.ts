import type { FetchLike } from '@modelcontextprotocol/client';
import { isObject, isRpcId, type RpcId } from '../../wire/json-rpc.ts';
import { LimitedLines, MESSAGE_LIMIT } from '../../wire/limited-lines.ts';

/** `fetch` that reads no message over the limit. `onTooLarge` is called with the request whose answer it was, where that
 *  is known; other answers on the same stream go on. */
export function limitedFetch(inner: FetchLike, onTooLarge: (id: RpcId) => void): FetchLike {
  return async (url, init) => {
    const response = await inner(url, init);
    if (response.body === null) return response;
    const isEvents = (response.headers.get('content-type') ?? '').startsWith('text/event-stream');
    const limit = isEvents ? limitedEvents(onTooLarge) : limitedBody(() => ofRequest(init?.body, onTooLarge));
    const { status, statusText, headers } = response;
    const limited = new Response(response.body.pipeThrough(limit), { status, statusText, headers });
    return Object.defineProperty(limited, 'url', { value: response.url });
  };
}

/** An event that is too long is left out of the stream. */
function limitedEvents(onTooLarge: (id: RpcId) => void): TransformStream<Uint8Array, Uint8Array> {
  let send: (line: Buffer) => void = () => {};
  const lines = new LimitedLines({
    onLine: (line) => send(Buffer.concat([line, Buffer.from('\n')])),
    onTooLong: ({ id, hasMethod }) => {
      if (id !== undefined && !hasMethod) onTooLarge(id);
    },
  });
  return new TransformStream({
    start: (controller) => {
      send = (line) => controller.enqueue(line);
    },
    transform: (chunk) => lines.read(Buffer.from(chunk)),
  });
}

function limitedBody(onTooLarge: () => void): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0;
  return new TransformStream({
    transform: (chunk, controller) => {
      bytes += chunk.length;
      if (bytes <= MESSAGE_LIMIT) return controller.enqueue(chunk);
      onTooLarge();
      controller.error(new Error(`its answer is larger than ${MESSAGE_LIMIT} bytes`));
    },
  });
}

function ofRequest(body: unknown, onTooLarge: (id: RpcId) => void): void {
  if (typeof body !== 'string') return;
  const message: unknown = JSON.parse(body);
  if (isObject(message) && isRpcId(message['id'])) onTooLarge(message['id']);
}
