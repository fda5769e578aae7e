import { FleetError, quote } from '../../domain/values/errors.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { ServerDefinition } from '../../orchestrator/servers/server-definition.ts';

/** The MCP server with this name; NOT_FOUND names those there are. */
export function serverNamed(tools: Tools, name: string): ServerDefinition {
  const all = tools.definitions();
  const found = all.find((each) => each.name === name);
  if (found !== undefined) return found;
  const names = all.map((each) => each.name);
  throw new FleetError(
    'NOT_FOUND',
    `There is no MCP server ${quote(name)}. There are: ${names.join(', ') || 'none'}.`,
    { field: 'server', servers: names },
  );
}
