import { isGated } from './approval-gate.ts';
import type { OfferedTool } from './mcp-agent.ts';
import { RegistryAgent } from './registry-agent.ts';
import type { ToolAgent, ToolAgentFactory, ToolDefinition } from './tool-agent.ts';

/** The tools of registries by their names; the rules of the configuration are for them too. */
export function registered(
  agents: readonly (ToolAgent | ToolAgentFactory)[],
  rules: readonly string[],
): ReadonlyMap<string, OfferedTool> {
  const offered = agents.flatMap((agent) => {
    if (agent instanceof RegistryAgent) return agent.offered;
    return toolsOf(agent).map(({ name, description, parameters }) => ({
      name,
      server: agent.id,
      tool: { name, description, inputSchema: parameters },
      gated: false,
    }));
  });
  return new Map(
    offered.map((each) => {
      const gated = each.gated || isGated(each.name, each.tool, { approve: 'none', rules });
      return [each.name, { ...each, gated }];
    }),
  );
}

/** The tools of a tool agent, made or not. */
export function toolsOf(agent: ToolAgent | ToolAgentFactory): readonly ToolDefinition[] {
  return 'create' in agent ? agent.tools : agent.manifest.tools;
}
