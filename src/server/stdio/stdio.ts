import type { Readable, Writable } from 'node:stream';
import type { Server, Transport } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import type { Caller } from '../../domain/principal.ts';
import { cut } from '../../domain/values/text.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { announceOffers } from '../mcp/announce-offers.ts';
import { afterClose } from '../relay/after-close.ts';
import { buildMcpServer } from '../mcp/mcp-server.ts';
import { listenedUris } from '../mcp/listened-uris.ts';
import { drainingStdio } from './draining-stdio.ts';
import { relayTransport } from '../relay/relay-transport.ts';
import { ResourceUpdates } from '../mcp/resource-updates.ts';
import { UpstreamFollowing } from '../mcp/upstream-following.ts';

export interface ServeStdioParts {
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly version: string;
  readonly tools?: ToolService | undefined;
  readonly signal?: AbortSignal;
  /** The process's own unless given. */
  readonly streams?: { readonly stdin: Readable; readonly stdout: Writable };
}

/** Serves MCP of both eras on stdio until stdin ends. */
export async function serveMcpStdio(parts: ServeStdioParts): Promise<void> {
  const { fleet, caller, version, signal } = parts;
  const { stdin, stdout } = parts.streams ?? process;
  const updates = fleet.events === undefined ? undefined : new ResourceUpdates(fleet.events);
  const { wire, watch, listened } = drainingStdio(stdin, stdout);
  let current: Server | undefined;
  const handle = serveStdio(
    ({ era }) => {
      const server = buildMcpServer({ fleet, caller, version, updates, tools: parts.tools });
      current = server;
      if (parts.tools !== undefined) announceOffers(server, parts.tools, caller);
      // Nobody follows the events before somebody listens.
      if (era === 'modern' && updates !== undefined)
        void listened.then(() => sendAllUpdates(server, updates));
      return server;
    },
    {
      transport: wire,
      onerror: (error) =>
        process.stderr.write(`fleet: mcp: ${cut(error.message.replaceAll(/\s+/g, ' '), 200)}\n`),
    },
  );
  if (parts.tools !== undefined) {
    relayTransport(wire, parts.tools.relay, caller);
    const following = new UpstreamFollowing(parts.tools, caller);
    afterClose(
      wire,
      followListened(wire, following, (uri) => current?.sendResourceUpdated({ uri })),
    );
  }
  watch();
  const ended = Promise.withResolvers<void>();
  afterClose(wire, ended.resolve);
  const stop = (): void => void handle.close();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  await ended.promise;
  signal?.removeEventListener('abort', stop);
}

/** Has servers tell of the resources that a client of the new era listens to. Returns the function that ends it. */
function followListened(
  wire: Transport,
  following: UpstreamFollowing,
  tell: (uri: string) => Promise<void> | undefined,
): () => void {
  const stops: (() => void)[] = [];
  const deliver = wire.onmessage;
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
  wire.onmessage = (message, extra) => {
    for (const uri of listenedUris(message)) {
      const stop = following.follow(uri, () => void tell(uri)?.catch(() => {}));
      if (stop !== undefined) stops.push(stop);
    }
    deliver?.(message, extra);
  };
  return () => stops.forEach((stop) => stop());
}

/** In the new era the transport knows who listens to what, and drops the rest. */
function sendAllUpdates(server: Server, updates: ResourceUpdates): void {
  const stop = updates.subscribe((uri) => void server.sendResourceUpdated({ uri }).catch(() => {}));
  afterClose(server, stop);
}
