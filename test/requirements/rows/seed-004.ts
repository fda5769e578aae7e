import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'TOOLAGENT-id',
    source: 'seed 004 Agent validation; contract ToolAgent',
    text: 'The id of a tool agent matches ^[a-z][a-z0-9-]*$ and is unique, and any other is refused.',
  },
  {
    id: 'TOOLAGENT-name',
    source: 'seed 004 Agent validation',
    text: 'The name of a tool agent is a non-empty string.',
  },
  {
    id: 'TOOLAGENT-states',
    source: 'seed 004 Agent state transitions; contract ToolAgent',
    text: 'A tool agent is initialized by initialize(), running from its first execute, stopped by shutdown(), and initialized again by initialize().',
  },
  {
    id: 'MANIFEST-fields',
    source: 'seed 004 AgentManifest; contract ToolAgent',
    text: 'A manifest has id equal to that of its tool agent, name, tools, which may be none, capabilities, requiresApproval and perhaps modelRequirements.',
  },
  {
    id: 'MANIFEST-capabilities',
    source: 'seed 004 AgentManifest validation; contract ToolAgent',
    text: 'Capabilities are lowercase words with hyphens.',
  },
  {
    id: 'MANIFEST-approval',
    source: 'seed 004 AgentManifest validation; contract ToolAgent',
    text: 'requiresApproval is true exactly when at least one of the tools is gated.',
  },
  {
    id: 'TOOLDEF-fields',
    source: 'seed 004 ToolDefinition; contract ToolDefinition',
    text: 'A tool definition has name, description and parameters and may have examples and category.',
  },
  {
    id: 'TOOLDEF-name',
    source: 'seed 004 ToolDefinition validation; contract ToolDefinition',
    text: 'A tool of our own whose name does not match ^[a-z_][a-z0-9_]*$ is refused.',
  },
  {
    id: 'TOOLDEF-unique',
    source: 'seed 004 ToolDefinition validation; contract Names are unique',
    text: 'Tool names are unique within a tool agent and over all of them.',
  },
  {
    id: 'TOOLDEF-parameters-object',
    source: 'seed 004 ToolDefinition validation; contract ToolDefinition',
    text: 'A tool whose parameters are not of type object is refused.',
  },
  {
    id: 'TOOLRESULT-shape',
    source: 'seed 004 ToolResult; contract ToolResult',
    text: 'A tool result has success true and data, or success false and an error.',
  },
  {
    id: 'ORCH-parts',
    source: 'seed 004 Orchestrator; contract Orchestrator',
    text: 'The orchestrator has agents, factories that make a tool agent only when it is needed, toolToAgent, mcpManager and metrics.',
  },
  {
    id: 'ORCH-stateless',
    source: 'seed 004 Orchestrator state; contract Orchestrator',
    text: 'After a restart the orchestrator needs nothing of its earlier run to offer and route the same tools.',
  },
  {
    id: 'ORCH-definitions',
    source: 'seed 004 Request flow; contract Orchestrator',
    text: 'getToolDefinitions() gives the tools of all manifests together.',
  },
  {
    id: 'ORCH-route',
    source: 'seed 004 Request flow; contract Orchestrator',
    text: 'execute() routes a call by tool name to the tool agent that has it and returns its ToolResult.',
  },
  {
    id: 'ORCH-tool-not-found',
    source: 'seed 004 AgentErrorCode; contract Errors NOT_FOUND',
    text: 'execute() of a tool that no tool agent has is NOT_FOUND with details.reason TOOL_NOT_FOUND.',
  },
  {
    id: 'ORCH-registry-agent',
    source: 'seed 004 LegacyToolAgent; contract Kinds',
    text: 'A registry agent offers the tools of the ToolRegistry that it wraps.',
  },
  {
    id: 'ORCH-mcp-agent',
    source: 'seed 004 MCPAgent; contract Kinds',
    text: 'An MCP agent offers the tools of the one upstream server it is connected to.',
  },
  {
    id: 'MCPSERVER-name-unique',
    source: 'seed 004 MCPServerConfig validation',
    text: 'Two configured servers with one name are an error.',
  },
  {
    id: 'MCPSERVER-command',
    source: 'seed 004 MCPServerConfig validation; contract MCPServerConfig',
    text: 'A server whose command is not an executable that exists gets a clear error that names it.',
  },
  {
    id: 'MCPSERVER-timeout',
    source: 'seed 004 MCPServerConfig; contract MCPServerConfig',
    text: 'timeout of a server is 10000 ms unless given and must be a positive integer of at most 30000.',
  },
  {
    id: 'MCPSERVER-auto-start',
    source: 'seed 004 MCPServerConfig; contract MCPServerConfig',
    text: 'A server is started with its args and env at the start of the fleet unless its autoStart is false.',
  },
  {
    id: 'MCPCONN-fields',
    source: 'seed 004 MCPConnection; contract MCPConnection',
    text: 'A connection has serverName, status, tools and lastHealthCheck, the time of the last successful check.',
  },
  {
    id: 'MCPCONN-ready',
    source: 'seed 004 MCPConnection transitions; contract MCPConnection',
    text: 'A connection goes from disconnected through connecting and connected to ready once its tools are listed, and back when it is stopped.',
  },
  {
    id: 'MCPCONN-error',
    source: 'seed 004 MCPConnection transitions; contract MCPConnection',
    text: 'A connection that fails or times out shows error and is disconnected before it is tried again.',
  },
  {
    id: 'HEALTH-fields',
    source: 'seed 004 AgentHealth; contract AgentHealth',
    text: 'health() gives agentId, status healthy, unhealthy or unknown, lastChecked, toolCount and, if there is one, a message.',
  },
  {
    id: 'METRICS-fields',
    source: 'seed 004 OrchestratorMetrics; contract OrchestratorMetrics',
    text: 'The metrics count executions and latencies for each tool, health checks for each agent and errors for each code.',
  },
  {
    id: 'ORCH-error-codes',
    source: 'seed 004 AgentErrorCode; contract Error codes',
    text: 'details.reason of an orchestrator error is one of the 15 codes of seed 004; each but the four of the session is given by the orchestrator.',
  },
];
