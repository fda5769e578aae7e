import { LAUNCHER } from '../../platform/package.ts';

/** How an MCP client starts this fleet: the shape that every client's `mcpServers` takes. */
export function clientEntry(home: string, config: string | undefined) {
  return {
    command: process.execPath,
    args: [LAUNCHER, 'mcp'],
    env: { FLEET_HOME: home, ...(config === undefined ? {} : { FLEET_CONFIG: config }) },
  };
}
