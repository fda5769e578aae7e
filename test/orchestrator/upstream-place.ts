import type { McpServerConfig } from '../../src/config/mcp-server-schema.ts';
import { fileURLToPath } from 'node:url';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

type Entry = Partial<Omit<McpServerConfig, 'args'>> & { readonly args?: readonly string[] };

/** The path of one of the small servers of these tests. */
export function upstreamFile(name: string): string {
  return fileURLToPath(new URL(`./upstreams/${name}.mjs`, import.meta.url));
}

/** A server of the configuration that runs one of the small servers. */
export function upstream(name: string, entry: Entry = {}): Entry {
  return { command: process.execPath, ...entry, args: [upstreamFile(name), ...(entry.args ?? [])] };
}

/** A real fleet with these upstream servers. */
export function fleetWith(mcpServers: Readonly<Record<string, Entry>>): LocalFleet {
  return localFleet((config) => {
    config['mcpServers'] = mcpServers;
  });
}
