import { leftOutText } from './left-out-note.ts';
import type { ToolServers } from './tool-servers.ts';

/** Writes a line for each thing that a server lists and that is not offered, once for as long as it is so. */
export function logLeftOut(servers: ToolServers, warn: (line: string) => void): void {
  const written = new Map<string, ReadonlySet<string>>();
  const look = (server: string): void => {
    const connection = servers.connections().find(({ serverName }) => serverName === server);
    const before = written.get(server);
    const lines = new Set(connection?.leftOut.map((each) => leftOutText(each)));
    written.set(server, lines);
    for (const line of lines) {
      if (before?.has(line) !== true) warn(`the MCP server ${server} lists a ${line}: it is not offered`);
    }
  };
  for (const { serverName } of servers.connections()) look(serverName);
  servers.subscribe((change) => {
    if (change.kind === 'connection') look(change.server);
  });
}
