import type { Caller } from '../domain/principal.ts';
import {
  isObject,
  isRpcMessage,
  isRpcRequest,
  metaOf,
  paramsOf,
  type JsonObject,
  type RpcRequest,
} from '../orchestrator/json-rpc.ts';
import { CAPABILITIES_META, CLIENT_META, MODERN_VERSION, PROTOCOL_META } from '../orchestrator/protocol.ts';
import { RpcError } from '../orchestrator/rpc-error.ts';
import type { RelayClient } from './relay-client.ts';
import type { ToolRelay } from './tool-relay.ts';

const EVENTS = {
  'Content-Type': 'text/event-stream',
  'Cache-Control': 'no-cache, no-transform',
  'X-Accel-Buffering': 'no',
};

/** A call of an upstream tool in a request of the new era; undefined for all else, and for one that is not well formed:
 *  that is the server's to refuse. */
export function modernCall(request: Request, text: string, relay: ToolRelay): RpcRequest | undefined {
  const { headers } = request;
  if (headers.get('mcp-method') !== 'tools/call' || headers.get('mcp-protocol-version') !== MODERN_VERSION) {
    return undefined;
  }
  const message = parse(text);
  if (!isRpcMessage(message) || !isRpcRequest(message) || message.method !== 'tools/call') return undefined;
  const params = paramsOf(message);
  const meta = metaOf(params);
  const wellFormed =
    meta[PROTOCOL_META] === MODERN_VERSION &&
    isObject(meta[CAPABILITIES_META]) &&
    (meta[CLIENT_META] === undefined || isObject(meta[CLIENT_META])) &&
    (params['arguments'] === undefined || isObject(params['arguments'])) &&
    headers.get('content-type')?.startsWith('application/json') === true &&
    ['application/json', 'text/event-stream'].every((type) => headers.get('accept')?.includes(type)) &&
    typeof params['name'] === 'string' &&
    headers.get('mcp-name') === params['name'];
  return wellFormed && relay.knows(String(params['name'])) ? message : undefined;
}

/** Answers with plain JSON, or with a stream when the client wants to hear of progress. */
export async function answerModern(
  { id, ...message }: RpcRequest,
  { relay, caller, signal }: { relay: ToolRelay; caller: Caller; signal: AbortSignal },
): Promise<Response> {
  const params = isObject(message['params']) ? message['params'] : {};
  const capabilities = metaOf(params)[CAPABILITIES_META];
  const client: Omit<RelayClient, 'tell' | 'signal'> = {
    caller,
    era: 'modern',
    capabilities: isObject(capabilities) ? capabilities : {},
  };
  const answer = async (rest: Pick<RelayClient, 'tell' | 'signal'>): Promise<string> => {
    const outcome = await relay
      .call(params, { ...client, ...rest })
      .then((result): JsonObject => ({ result }))
      .catch((thrown: unknown): JsonObject => ({ error: RpcError.from(thrown).toJson() }));
    return JSON.stringify({ jsonrpc: '2.0', id, ...outcome });
  };
  if (metaOf(params)['progressToken'] === undefined) {
    const body = await answer({ tell: () => {}, signal });
    return new Response(body, { headers: { 'Content-Type': 'application/json' } });
  }
  const ending = new AbortController();
  const encoder = new TextEncoder();
  const stream = new ReadableStream<Uint8Array>({
    async start(controller) {
      const write = (data: string): void => {
        if (!ending.signal.aborted) controller.enqueue(encoder.encode(`event: message\ndata: ${data}\n\n`));
      };
      const tell = (method: string, told: JsonObject): void =>
        write(JSON.stringify({ jsonrpc: '2.0', method, params: told }));
      write(await answer({ tell, signal: AbortSignal.any([signal, ending.signal]) }));
      if (!ending.signal.aborted) controller.close();
    },
    // Ending the stream is how a client of the new era cancels.
    cancel: () => ending.abort(),
  });
  return new Response(stream, { headers: EVENTS });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
