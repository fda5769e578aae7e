import { McpAgent } from './mcp-agent.ts';
import type { McpConnection } from '../servers/mcp-connection.ts';
import type { ToolAgent } from './tool-agent.ts';
import type { ToolServers } from '../servers/tool-servers.ts';

/** The tool agents of upstream servers: one for each, as long as the configuration names it. */
export class McpAgents {
  readonly #servers: ToolServers;
  readonly #all: Map<string, ToolAgent>;
  readonly #byServer = new Map<string, McpAgent>();

  /** `all` is where every tool agent stands, under an id of its own. */
  constructor(servers: ToolServers, all: Map<string, ToolAgent>) {
    this.#servers = servers;
    this.#all = all;
  }

  of(server: string): McpAgent {
    const known = this.#byServer.get(server);
    if (known !== undefined) return known;
    const agent = new McpAgent(this.#freeId(server), server, this.#servers);
    this.#byServer.set(server, agent);
    this.#all.set(agent.id, agent);
    return agent;
  }

  /** Initializes tool agents whose servers are connected, whichever process connected them, and removes those whose
   *  servers are not configured any more. */
  follow(connections: readonly McpConnection[]): void {
    for (const { serverName, status } of connections) {
      if (status === 'connected' || status === 'ready') void this.of(serverName).initialize();
    }
    const present = new Set(connections.map(({ serverName }) => serverName));
    for (const [server, agent] of this.#byServer) {
      if (present.has(server)) continue;
      this.#byServer.delete(server);
      this.#all.delete(agent.id);
      void agent.shutdown().catch(() => {});
    }
  }

  #freeId(server: string): string {
    const word = server
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '');
    const id = `mcp-${word}`;
    for (let number = 1; ; number++) {
      const candidate = number === 1 ? id : `${id}-${number}`;
      if (!this.#all.has(candidate)) return candidate;
    }
  }
}
