import { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { addCompletions } from './mcp-completions.ts';
import { INSTRUCTIONS } from './mcp-instructions.ts';
import { addPrompts } from './mcp-prompts.ts';
import { addResources } from './mcp-resources.ts';
import { addTools } from './mcp-tools.ts';
import type { ResourceUpdates } from './resource-updates.ts';

export interface McpServerParts {
  readonly fleet: Fleet;
  readonly caller: Caller;
  readonly version: string;
  /** Without it resource updates are not offered. */
  readonly updates?: ResourceUpdates | undefined;
}

/** What another caller may see must never be served from a cache. */
const NO_CACHE = { ttlMs: 0, cacheScope: 'private' } as const;

/** The fleet as an MCP server for one caller: one instance a connection, or a request in the new era. */
export function buildMcpServer({ fleet, caller, version, updates }: McpServerParts): Server {
  const server = new Server(
    { name: 'fleet-mcp', title: 'Fleet', version },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: {},
        resources: updates === undefined ? {} : { subscribe: true },
        prompts: {},
        completions: {},
      },
      cacheHints: {
        'server/discover': NO_CACHE,
        'tools/list': NO_CACHE,
        'prompts/list': NO_CACHE,
        'resources/list': NO_CACHE,
        'resources/templates/list': NO_CACHE,
        'resources/read': NO_CACHE,
      },
    },
  );
  addTools(server, { fleet, caller });
  addResources(server, { fleet, caller, updates });
  addPrompts(server);
  addCompletions(server, { fleet, caller });
  return server;
}
