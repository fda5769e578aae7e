import { getRequestListener, RequestError } from '@hono/node-server';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { FleetError, quote } from '../domain/values/errors.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { ToolService } from '../orchestrator/calls/tool-service.ts';
import type { ChatService } from './chat/chat-service.ts';
import { createApp, createInner, type AppInner, type AppParts } from './app.ts';
import type { Authenticator } from './http/auth.ts';
import { Connections } from './connections.ts';
import { errorResponse } from './http/error-response.ts';
import { FastCalls } from './fast-calls.ts';
import { reportDefect } from '../platform/report-defect.ts';

export interface StartServerParts {
  readonly fleet: Fleet;
  readonly authenticator: Authenticator;
  readonly version: string;
  readonly tools?: ToolService | undefined;
  readonly chat?: ChatService | undefined;
  /** True while the demo is served: the page then says what comes next. */
  readonly demo?: boolean;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** 0 or left out: any free one. */
  readonly port?: number;
  /** Further host names that requests may name. */
  readonly allowedHosts?: readonly string[];
  /** The address behind a proxy. */
  readonly publicUrl?: string | undefined;
  /** Closes the server. */
  readonly signal?: AbortSignal;
}

export interface RunningServer {
  readonly url: string;
  readonly mcp_url: string;
  /** Ends waits and streams, then the server. */
  close(): Promise<void>;
}

const KEEP_ALIVE_MS = 120_000;
const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export async function startServer(parts: StartServerParts): Promise<RunningServer> {
  const { fleet, authenticator, version, host = '127.0.0.1', port = 0 } = parts;
  const ending = new AbortController();
  const appParts = {
    fleet,
    authenticator,
    version,
    demo: parts.demo ?? false,
    tools: parts.tools,
    chat: parts.chat,
    allowedHosts: [host, ...(parts.allowedHosts ?? [])],
    publicUrl: parts.publicUrl,
    signal: ending.signal,
  };
  const inner = createInner(appParts);
  const app = createApp(appParts, inner);
  const fast = fastCalls(appParts, inner);
  const options = { errorHandler: answerMalformed, overrideGlobalObjects: false };
  const listener = getRequestListener(app.fetch, options);
  const server = createServer((incoming, outgoing) => {
    if (fast?.wants(incoming) !== true) return void listener(incoming, outgoing);
    fast.answer(incoming, outgoing, app.fetch).catch((thrown: unknown) => {
      if (!ending.signal.aborted && !outgoing.destroyed) reportDefect(thrown, 'POST /mcp');
      outgoing.destroy();
    });
  });
  // A client that is slow to notice must not use a connection that was just closed on it.
  server.keepAliveTimeout = KEEP_ALIVE_MS;
  const connections = new Connections(server);
  await listen(server, host, port);
  let closing: Promise<void> | undefined;
  const close = (): Promise<void> => {
    ending.abort();
    return (closing ??= connections.closeServer());
  };
  parts.signal?.addEventListener('abort', () => void close(), { once: true });
  if (parts.signal?.aborted === true) await close();
  const url = `http://${addressOf(server, host)}`;
  return { url, mcp_url: `${url}/mcp`, close };
}

function fastCalls(
  { tools, authenticator, allowedHosts, publicUrl }: AppParts,
  { mcp, gate, metrics, shutdown }: AppInner,
): FastCalls | undefined {
  if (tools === undefined) return undefined;
  const { relay } = tools;
  const { sessions } = mcp;
  return new FastCalls({
    relay,
    sessions,
    authenticator,
    gate,
    metrics,
    shutdown,
    own: { hosts: allowedHosts ?? [], public_url: publicUrl },
  });
}

/** A request whose address is none, such as one with a user in its Host, never gets as far as the app. */
function answerMalformed(thrown: unknown): Response {
  if (!(thrown instanceof RequestError)) return errorResponse(reportDefect(thrown, 'a request'));
  return errorResponse(
    new FleetError(
      'INVALID_INPUT',
      `The request cannot be understood: ${quote(thrown.message)}. Use the address that fleet serve printed.`,
      { reason: 'malformed_request' },
    ),
  );
}

async function listen(server: Server, host: string, port: number): Promise<void> {
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (cause) {
    throw listenError(cause, host, port);
  }
}

function listenError(cause: unknown, host: string, port: number): FleetError {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
  if (code === 'EADDRINUSE') {
    return new FleetError(
      'CONFLICT',
      `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any free port.`,
      { field: 'port', reason: 'port_in_use' },
      cause,
    );
  }
  const why = cause instanceof Error ? cause.message : String(cause);
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The server cannot listen on port ${port} of ${host}: ${why}. Choose others with --host and --port.`,
    { reason: 'cannot_listen' },
    cause,
  );
}

function addressOf(server: Server, host: string): string {
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const shown = ANY_ADDRESS[host] ?? host;
  return `${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
}
