import { isGated, type GateRules } from './approval-gate.ts';
import type { McpAgent, OfferedTool } from './mcp-agent.ts';
import type { McpConnection } from '../servers/mcp-connection.ts';
import type { Offer } from '../servers/offers.ts';
import type { HeldOffer } from './seen-hints.ts';
import type { Hint } from './stricter-hints.ts';
import { nameTools, type Collision } from './tool-names.ts';

/** What the configuration says of a server beside how it is reached. */
export interface ServerPolicy {
  readonly prefix: boolean;
  readonly approve: GateRules['approve'];
}

export type UpstreamTool = OfferedTool & {
  readonly agent: McpAgent;
  /** Hints that became looser than they were, and do not count until a person accepts them. */
  readonly loosened: readonly Hint[];
};

export interface OfferUpstreamParts {
  /** Names that are not to be had any more. */
  readonly taken: readonly string[];
  agentOf(server: string): McpAgent;
  policy(server: string): ServerPolicy;
  readonly rules: readonly string[];
  /** The tools of a server with the hints that count. */
  hold(server: string, tools: readonly Offer[]): readonly HeldOffer[];
}

export interface UpstreamOffer {
  readonly tools: ReadonlyMap<string, UpstreamTool>;
  readonly collisions: readonly Collision[];
}

/** Gives the tools of the servers that are there their names, and each tool agent its own. */
export function offerUpstream(
  connections: readonly McpConnection[],
  { taken, agentOf, policy, rules, hold }: OfferUpstreamParts,
): UpstreamOffer {
  const loosened = new Map<Offer, HeldOffer['loosened']>();
  const named = nameTools(
    connections
      .filter(({ offered }) => offered)
      .map(({ serverName, tools }) => {
        const held = hold(serverName, tools);
        for (const each of held) loosened.set(each.tool, each.loosened);
        const { prefix } = policy(serverName);
        return { server: serverName, prefix, tools: held.map(({ tool }) => tool) };
      }),
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
        loosened: loosened.get(tool) ?? [],
      }));
    agent.offer(tools);
    for (const tool of tools) offered.set(tool.name, { ...tool, agent });
  }
  return { tools: offered, collisions: named.collisions };
}
