import { createMcpHandler, isLegacyRequest, type Server } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { Orchestrator } from '../orchestrator/orchestrator.ts';
import { LegacySessions } from './legacy-sessions.ts';
import { buildMcpServer } from './mcp-server.ts';
import { reportDefect } from './report-defect.ts';
import { ResourceUpdates } from './resource-updates.ts';

export interface McpEndpoint extends AsyncDisposable {
  fetch(request: Request, caller: Caller): Promise<Response>;
}

export interface McpEndpointParts {
  readonly fleet: Fleet;
  readonly version: string;
  readonly orchestrator?: Orchestrator | undefined;
}

/** MCP at one URL for both eras: 2026-07-28 without sessions, the earlier ones with. */
export function createMcpEndpoint({ fleet, version, orchestrator }: McpEndpointParts): McpEndpoint {
  const updates = fleet.events === undefined ? undefined : new ResourceUpdates(fleet.events);
  const build = (caller: Caller): Server => buildMcpServer({ fleet, caller, version, updates, orchestrator });
  const callers = new WeakMap<Request, Caller>();
  const modern = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo === undefined ? undefined : callers.get(requestInfo);
      if (caller === undefined) throw new Error('An MCP request has lost its caller.');
      return build(caller);
    },
    {
      legacy: 'reject',
      onerror: (error) => {
        // Most of these are mistakes of clients, which they are told about.
        if (process.env['FLEET_DEBUG'] !== undefined) reportDefect(error, '/mcp');
      },
      ...(updates === undefined ? {} : { bus: eventBus(updates) }),
    },
  );
  const legacy = new LegacySessions(build);
  return {
    async fetch(request, caller) {
      if (await isLegacyRequest(request)) return legacy.handle(request, caller);
      callers.set(request, caller);
      return modern.fetch(request);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([modern.close(), legacy[Symbol.asyncDispose]()]);
    },
  };
}

/** The fleet's events are the only source of updates; nothing is published by hand. */
function eventBus(updates: ResourceUpdates) {
  return {
    publish: () => {},
    subscribe: (listener: (event: { kind: 'resource_updated'; uri: string }) => void) =>
      updates.subscribe((uri) => listener({ kind: 'resource_updated', uri })),
  };
}
