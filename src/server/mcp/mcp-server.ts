import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/principal.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { CONTRACT_VERSION } from '../../platform/package.ts';
import { CheckedServer } from './checked-server.ts';
import { addCompletions } from './mcp-completions.ts';
import { INSTRUCTIONS } from './mcp-instructions.ts';
import { addPrompts } from './mcp-prompts.ts';
import { addResources } from './mcp-resources.ts';
import { addTools } from './mcp-tools.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { UpstreamContext } from './upstream-context.ts';
import { UpstreamFollowing } from './upstream-following.ts';
import type { ResourceUpdates } from './resource-updates.ts';

export interface McpServerParts {
  readonly fleet: Fleet;
  readonly caller: Caller;
  /** Of this program; clients are told that of the contract. */
  readonly version: string;
  /** With it the tools of upstream servers are offered as well. */
  readonly tools?: ToolService | undefined;
  /** Without it resource updates are not offered. */
  readonly updates?: ResourceUpdates | undefined;
}

/** What another caller may see must never be served from a cache. */
const NO_CACHE = { ttlMs: 0, cacheScope: 'private' } as const;

/** The fleet as an MCP server for one caller: one instance a connection, or a request in the new era. */
export function buildMcpServer(parts: McpServerParts): Server {
  const { fleet, caller, version, updates, tools } = parts;
  const server = new CheckedServer(
    {
      name: 'fleet-mcp',
      title: 'Fleet',
      version: CONTRACT_VERSION,
      description: `Runs and controls a fleet of coding agents (fleet-mcp ${version})`,
    },
    {
      instructions: INSTRUCTIONS,
      capabilities: {
        tools: tools === undefined ? {} : { listChanged: true },
        resources: {
          ...(updates === undefined ? {} : { subscribe: true }),
          ...(tools === undefined ? {} : { listChanged: true }),
        },
        prompts: tools === undefined ? {} : { listChanged: true },
        completions: {},
        ...(tools === undefined ? {} : { logging: {} }),
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
  addTools(server, { fleet, caller, tools });
  const upstream = tools === undefined ? undefined : new UpstreamContext(tools, caller);
  const following = tools === undefined ? undefined : new UpstreamFollowing(tools, caller);
  addResources(server, { fleet, caller, updates, upstream, following });
  addPrompts(server, upstream);
  addCompletions(server, { fleet, caller, upstream });
  return server;
}
