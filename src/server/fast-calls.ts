import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Caller } from '../domain/principal.ts';
import {
  isObject,
  isRpcMessage,
  isRpcRequest,
  paramsOf,
  type JsonObject,
  type RpcRequest,
} from '../wire/json-rpc.ts';
import type { Authenticator } from './http/auth.ts';
import type { Gate } from './http/gate.ts';
import type { LegacySessions } from './relay/legacy-sessions.ts';
import type { Metrics } from './metrics.ts';
import { isModernCall, relayModern } from './relay/modern-relay.ts';
import { viewIn } from './mcp/mcp-path.ts';
import { foreignPart, type OwnAddresses } from './http/request-guard.ts';
import type { ToolRelay } from '../orchestrator/calls/tool-relay.ts';
import { jsonIn } from '../domain/values/text.ts';

const MISSING_CAPABILITY = -32_021;
const BODY_LIMIT = 4 * 1024 * 1024;

export interface FastCallsParts {
  readonly relay: ToolRelay;
  readonly sessions: LegacySessions;
  readonly authenticator: Authenticator;
  readonly gate: Gate;
  readonly metrics: Metrics;
  readonly own: OwnAddresses;
  readonly shutdown: AbortSignal;
}

/** The short way of a call of an upstream tool, from Node's own request to its response: the long way costs several times
 *  more. All that is not plainly such a call, and all that has to be refused, goes the long way. */
export class FastCalls {
  readonly #parts: FastCallsParts;

  constructor(parts: FastCallsParts) {
    this.#parts = parts;
  }

  /** True for a request whose body is worth a look. */
  wants({ method, url, headers }: IncomingMessage): boolean {
    if (method !== 'POST' || url === undefined || this.#parts.shutdown.aborted) return false;
    if (viewIn(url) === undefined) return false;
    if (headers['mcp-method'] !== 'tools/call' && headers['mcp-session-id'] === undefined) return false;
    return Number(headers['content-length'] ?? 0) <= BODY_LIMIT;
  }

  /** Answers the request; `slow` is the long way, for a request that was read already. */
  async answer(
    incoming: IncomingMessage,
    outgoing: ServerResponse,
    slow: (request: Request) => Response | Promise<Response>,
  ): Promise<void> {
    const ending = new AbortController();
    outgoing.once('close', () => {
      if (!outgoing.writableFinished) ending.abort();
    });
    const text = await read(incoming);
    if (text === undefined) return tooLarge(outgoing);
    const taken = this.#take(incoming, text, new Reply(outgoing), ending.signal);
    if (taken !== undefined) return await taken;
    const headers = Object.entries(incoming.headers).flatMap(([name, value]): [string, string][] =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const url = `http://${incoming.headers.host ?? 'localhost'}${incoming.url ?? ''}`;
    await send(
      await slow(new Request(url, { method: 'POST', headers, body: text, signal: ending.signal })),
      outgoing,
    );
  }

  #take(
    incoming: IncomingMessage,
    text: string,
    reply: Reply,
    signal: AbortSignal,
  ): Promise<void> | undefined {
    const { headers } = incoming;
    const { relay, authenticator, own, gate, sessions } = this.#parts;
    if (foreignPart(headers.host ?? '', headers.origin, own) !== undefined) return undefined;
    const caller = authenticator.atMcp(headers.authorization, viewIn(incoming.url ?? ''));
    const message = caller === undefined ? undefined : callIn(text, relay);
    if (caller === undefined || message === undefined) return undefined;
    const work = isModernCall(message, (name) => headerOf(headers[name]))
      ? () => relayModern(message, reply, { relay, caller, signal })
      : this.#inSession(headers, caller, sessions)?.(message, reply, signal);
    if (work === undefined || gate.isFull) return undefined;
    return this.#inside(work);
  }

  async #inside(work: () => Promise<void>): Promise<void> {
    const { gate, metrics } = this.#parts;
    const leave = gate.enter();
    try {
      await work();
    } finally {
      leave();
      metrics.countRequest('/mcp', 200);
    }
  }

  #inSession(headers: IncomingMessage['headers'], caller: Caller, sessions: LegacySessions) {
    if (headers['mcp-method'] !== undefined) return undefined;
    const session = sessions.relayed(headerOf(headers['mcp-session-id']), caller);
    if (session === undefined) return undefined;
    const accepts = headers.accept ?? '';
    if (!accepts.includes('application/json') || !accepts.includes('text/event-stream')) return undefined;
    return (message: RpcRequest, reply: Reply, signal: AbortSignal) => () =>
      session(message, (told) => reply.write(told), signal).finally(() => reply.end());
  }
}

/** One answer in plain JSON; or a stream, when something is to be said before it. */
export class Reply {
  readonly #outgoing: ServerResponse;
  #streams = false;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
  }

  write(message: JsonObject): void {
    const text = JSON.stringify(message);
    const isLast = message['method'] === undefined;
    if (isLast && !this.#streams) {
      this.#outgoing.writeHead(statusOf(message), {
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        'X-Content-Type-Options': 'nosniff',
      });
      this.#outgoing.end(text);
      return;
    }
    if (!this.#streams) {
      this.#streams = true;
      this.#outgoing.writeHead(200, {
        'Content-Type': 'text/event-stream',
        'Cache-Control': 'no-cache, no-transform',
        'X-Accel-Buffering': 'no',
        'X-Content-Type-Options': 'nosniff',
      });
    }
    this.#outgoing.write(`event: message\ndata: ${text}\n\n`);
    if (isLast) this.#outgoing.end();
  }

  /** Ends calls that their client has canceled. */
  end(): void {
    if (this.#outgoing.writableEnded) return;
    if (!this.#outgoing.headersSent) this.#outgoing.writeHead(202);
    this.#outgoing.end();
  }
}

/** The protocol has a status of its own for a call that needs more of its client than it can do. */
function statusOf({ error }: JsonObject): number {
  return isObject(error) && error['code'] === MISSING_CAPABILITY ? 400 : 200;
}

function callIn(text: string, relay: ToolRelay): RpcRequest | undefined {
  const message = jsonIn(text);
  if (!isRpcMessage(message) || !isRpcRequest(message) || message.method !== 'tools/call') return undefined;
  const { name } = paramsOf(message);
  return typeof name === 'string' && relay.knows(name) ? message : undefined;
}

function headerOf(value: string | readonly string[] | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** Undefined when it is too large. */
function read(incoming: IncomingMessage): Promise<string | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  const chunks: Buffer[] = [];
  let size = 0;
  incoming.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size > BODY_LIMIT) resolve(undefined);
    else chunks.push(chunk);
  });
  incoming.once('end', () =>
    resolve((chunks.length === 1 ? chunks[0] : Buffer.concat(chunks))?.toString('utf8') ?? ''),
  );
  incoming.once('error', reject);
  return promise;
}

function tooLarge(outgoing: ServerResponse): void {
  const error = { code: -32_000, message: `A request must not exceed ${BODY_LIMIT} bytes` };
  outgoing.writeHead(413, { 'Content-Type': 'application/json', Connection: 'close' });
  outgoing.end(JSON.stringify({ jsonrpc: '2.0', error, id: null }));
}

async function send(response: Response, outgoing: ServerResponse): Promise<void> {
  outgoing.writeHead(response.status, Object.fromEntries(response.headers));
  if (response.body !== null) {
    for await (const chunk of response.body) {
      if (!outgoing.writable) break;
      outgoing.write(chunk);
    }
  }
  outgoing.end();
}
