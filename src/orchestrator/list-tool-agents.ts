import type { FleetError } from '../domain/values/errors.ts';
import type { Caller } from '../domain/principal.ts';
import type { ToolAgentView } from '../domain/tool-agent-view.ts';
import { NO_CALLS } from './servers/mcp-connection.ts';
import { McpAgent } from './tool-agents/mcp-agent.ts';
import { RegistryAgent } from './tool-agents/registry-agent.ts';
import type { Orchestrator } from './orchestrator.ts';
import type { AgentHealth, AgentManifest, ToolAgent } from './tool-agents/tool-agent.ts';
import type { Views } from './views.ts';

/** Every tool agent that the caller's view shows, and the modules that could not be loaded. */
export async function listToolAgents(
  { orchestrator, views }: { readonly orchestrator: Orchestrator; readonly views: Views },
  caller: Caller,
): Promise<readonly ToolAgentView[]> {
  // An agent has tools by a view alone.
  if (caller.principal.kind === 'agent' && caller.views === undefined) return [];
  const health = new Map((await orchestrator.health()).map((each) => [each.agentId, each]));
  const shown = [...orchestrator.agents.values()].filter((agent) =>
    views.showsServer(caller, serverOf(agent)),
  );
  const failed = [...orchestrator.failures].filter(([name]) => views.showsServer(caller, name));
  return [
    ...shown.flatMap((agent) => {
      const known = health.get(agent.id);
      return known === undefined ? [] : [viewOf(agent, known, orchestrator)];
    }),
    ...failed.map(([name, failure]) => failedView(name, failure)),
  ];
}

/** How views name it. */
function serverOf(agent: ToolAgent): string {
  return agent instanceof McpAgent ? agent.name : agent.id;
}

function viewOf(agent: ToolAgent, health: AgentHealth, { mcpManager }: Orchestrator): ToolAgentView {
  const { id, name, state, manifest } = agent;
  const isMcp = agent instanceof McpAgent;
  const connection = mcpManager.connections().find(({ serverName }) => isMcp && serverName === name);
  const calls = agent instanceof RegistryAgent ? agent.calls : (connection?.calls ?? NO_CALLS);
  return {
    id,
    name,
    kind: isMcp ? 'mcp' : 'registry',
    state,
    manifest: manifestView(manifest),
    health: healthView(health),
    latency_ms: calls.p50_ms,
    calls: calls.count,
    errors: calls.errors,
    left_out_tools: (connection?.leftOut ?? [])
      .filter(({ kind }) => kind === 'tools')
      .map(({ name: tool, reason }) => ({ name: tool, reason })),
  };
}

function manifestView({ id, name, tools, capabilities, ...rest }: AgentManifest): ToolAgentView['manifest'] {
  const { requiresApproval, modelRequirements } = rest;
  return {
    id,
    name,
    tools: tools.map(({ name: tool, description, parameters, examples, category }) => ({
      name: tool,
      description,
      parameters,
      ...(examples === undefined ? {} : { examples }),
      ...(category === undefined ? {} : { category }),
    })),
    capabilities,
    requires_approval: requiresApproval,
    ...(modelRequirements === undefined ? {} : { model_requirements: modelRequirements }),
  };
}

function healthView({ agentId, status, message, lastChecked, toolCount }: AgentHealth) {
  return {
    agent_id: agentId,
    status,
    message: message ?? null,
    last_checked: lastChecked,
    tool_count: toolCount,
  };
}

function failedView(name: string, { message }: FleetError): ToolAgentView {
  const last_checked = new Date().toISOString();
  return {
    id: name,
    name,
    kind: 'registry',
    state: 'stopped',
    manifest: { id: name, name, tools: [], capabilities: ['module'], requires_approval: false },
    health: { agent_id: name, status: 'unhealthy', message, last_checked, tool_count: 0 },
    latency_ms: null,
    calls: 0,
    errors: 0,
    left_out_tools: [],
  };
}
