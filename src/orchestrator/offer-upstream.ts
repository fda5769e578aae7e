import { isGated, type GateRules } from './approval-gate.ts';
import type { McpAgent, OfferedTool } from './mcp-agent.ts';
import type { McpConnection } from './mcp-connection.ts';
import { nameTools, type Collision } from './tool-names.ts';

/** What the configuration says of a server beside how it is reached. */
export interface ServerPolicy {
  readonly prefix: boolean;
  readonly approve: GateRules['approve'];
}

export type UpstreamTool = OfferedTool & { readonly agent: McpAgent };

export interface OfferUpstreamParts {
  /** Names that are not to be had any more. */
  readonly taken: readonly string[];
  agentOf(server: string): McpAgent;
  policy(server: string): ServerPolicy;
  readonly rules: readonly string[];
}

export interface UpstreamOffer {
  readonly tools: ReadonlyMap<string, UpstreamTool>;
  readonly collisions: readonly Collision[];
}

/** Gives the tools of the servers that are there their names, and each tool agent its own. */
export function offerUpstream(
  connections: readonly McpConnection[],
  { taken, agentOf, policy, rules }: OfferUpstreamParts,
): UpstreamOffer {
  const named = nameTools(
    connections
      .filter(({ offered }) => offered)
      .map(({ serverName, tools }) => ({ server: serverName, prefix: policy(serverName).prefix, tools })),
    taken,
  );
  const offered = new Map<string, UpstreamTool>();
  for (const { serverName } of connections) {
    const agent = agentOf(serverName);
    const { approve } = policy(serverName);
    const tools = named.tools
      .filter(({ server }) => server === serverName)
      .map(({ name, tool, server }) => ({
        name,
        server,
        tool,
        gated: isGated(name, tool, { approve, rules }),
      }));
    agent.offer(tools);
    for (const tool of tools) offered.set(tool.name, { ...tool, agent });
  }
  return { tools: offered, collisions: named.collisions };
}
