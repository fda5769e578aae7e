import { createAdaptorServer } from '@hono/node-server';
import { once } from 'node:events';
import { Server } from 'node:http';
import { FleetError } from '../domain/errors.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { createApp } from './app.ts';
import type { Authenticator } from './auth.ts';
import { Connections } from './connections.ts';

export interface StartServerParts {
  readonly fleet: Fleet;
  readonly authenticator: Authenticator;
  readonly version: string;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** 0 or left out: any free one. */
  readonly port?: number;
  /** Further host names that requests may name. */
  readonly allowedHosts?: readonly string[];
  /** Closes the server. */
  readonly signal?: AbortSignal;
}

export interface RunningServer {
  readonly url: string;
  readonly mcp_url: string;
  /** Ends waits and streams, then the server. */
  close(): Promise<void>;
}

const ANY_ADDRESS: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' };

export async function startServer(parts: StartServerParts): Promise<RunningServer> {
  const { fleet, authenticator, version, host = '127.0.0.1', port = 0 } = parts;
  const ending = new AbortController();
  const app = createApp({
    fleet,
    authenticator,
    version,
    allowedHosts: [host, ...(parts.allowedHosts ?? [])],
    signal: ending.signal,
  });
  const server = createAdaptorServer({ fetch: app.fetch, overrideGlobalObjects: false });
  if (!(server instanceof Server)) throw new TypeError('expected a plain HTTP server');
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
      `Port ${port} on ${host} is in use. Choose another with --port, or --port 0 for any that is free.`,
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
