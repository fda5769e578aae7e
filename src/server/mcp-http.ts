import {
  createMcpHandler,
  isLegacyRequest,
  type Server,
  type ServerEventBus,
} from '@modelcontextprotocol/server';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { ToolDoor } from './tool-door.ts';
import { announceTools } from './announce-tools.ts';
import { LegacySessions } from './legacy-sessions.ts';
import { buildMcpServer } from './mcp-server.ts';
import { reportDefect } from './report-defect.ts';
import { ResourceUpdates } from './resource-updates.ts';

export interface McpEndpoint extends AsyncDisposable {
  fetch(request: Request, caller: Caller): Promise<Response>;
  readonly sessions: LegacySessions;
}

export interface McpEndpointParts {
  readonly fleet: Fleet;
  readonly version: string;
  readonly tools?: ToolDoor | undefined;
}

/** MCP at one URL for both eras: 2026-07-28 without sessions, the earlier ones with. */
export function createMcpEndpoint({ fleet, version, tools }: McpEndpointParts): McpEndpoint {
  const updates = fleet.events === undefined ? undefined : new ResourceUpdates(fleet.events);
  const build = (caller: Caller): Server => buildMcpServer({ fleet, caller, version, updates, tools });
  const buildLasting = (caller: Caller): Server => {
    const server = build(caller);
    if (tools !== undefined) announceTools(server, tools);
    return server;
  };
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
      bus: eventBus(updates, tools),
    },
  );
  const legacy = new LegacySessions(buildLasting, undefined, tools?.relay);
  return {
    sessions: legacy,
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
function eventBus(updates: ResourceUpdates | undefined, tools: ToolDoor | undefined): ServerEventBus {
  return {
    publish: () => {},
    subscribe: (listener) => {
      const stops = [
        updates?.subscribe((uri) => listener({ kind: 'resource_updated', uri })),
        tools?.orchestrator.onToolsChanged(() => listener({ kind: 'tools_list_changed' })),
      ];
      return () => stops.forEach((stop) => stop?.());
    },
  };
}
