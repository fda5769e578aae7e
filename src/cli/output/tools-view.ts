import { cut, oneLine } from '../../domain/values/text.ts';
import type { ToolAgentView } from '../../domain/tool-agent-view.ts';
import { OWN_SERVER } from '../../domain/values/view.ts';
import { leftOutNote } from '../../orchestrator/servers/left-out-note.ts';
import type { OfferedTool } from '../../orchestrator/tool-agents/mcp-agent.ts';
import type { McpConnection } from '../../orchestrator/servers/mcp-connection.ts';
import type { Tools } from '../../orchestrator/open-tools.ts';
import type { Cli } from './cli.ts';
import { table } from './table.ts';

/** The longest description that a list shows; --json has all of it. */
const DESCRIPTION = 100;

/** What `fleet tools` prints. */
export interface ToolsView {
  readonly servers: readonly McpConnection[];
  /** The tools of the user's modules, by module. */
  readonly modules: ReadonlyMap<string, readonly OfferedTool[]>;
  readonly toolAgents: readonly ToolAgentView[];
}

export function toolsView({ orchestrator }: Tools, toolAgents: readonly ToolAgentView[]): ToolsView {
  const ofModules = orchestrator.registeredTools.filter(({ server }) => server !== OWN_SERVER);
  return {
    servers: orchestrator.mcpManager.connections(),
    modules: Map.groupBy(ofModules, ({ server }) => server),
    toolAgents,
  };
}

export function toolsDocument(tools: Tools, { servers, modules, toolAgents }: ToolsView) {
  const { orchestrator } = tools;
  const problem = tools.problem();
  return {
    servers: servers.map(({ serverName, status, offered, ...connection }) => ({
      server: serverName,
      status,
      offered,
      era: connection.era ?? null,
      pid: connection.pid ?? null,
      error: connection.error ?? null,
      left_out: connection.leftOut,
      last_health_check: connection.lastHealthCheck ?? null,
      calls: connection.calls,
    })),
    modules: [...modules].map(([module, offered]) => ({ module, tools: offered.length })),
    tool_agents: toolAgents,
    tools: [
      ...orchestrator.upstreamTools.map(({ name, agent, tool, gated, loosened }) => ({
        name,
        server: agent.name,
        tool: tool.name,
        gated,
        loosened,
        definition: { ...tool, name },
      })),
      ...[...modules.values()].flat().map(({ name, server, tool, gated }) => ({
        name,
        module: server,
        tool: name.slice(`${server}__`.length),
        gated,
        loosened: [],
        definition: tool,
      })),
    ],
    collisions: orchestrator.collisions,
    ...(problem === undefined ? {} : { problem }),
  };
}

export function serverTable({ orchestrator }: Tools, { servers, toolAgents }: ToolsView, cli: Cli): string {
  const offered = Map.groupBy(orchestrator.upstreamTools, ({ server }) => server);
  const rows = [
    ...servers.map(({ calls, error, leftOut, ...connection }) => ({
      name: connection.serverName,
      status: statusOf({ ...connection, error }),
      tools: offered.get(connection.serverName)?.length ?? 0,
      calls: String(calls.count),
      p50: calls.p50_ms === null ? '' : `${calls.p50_ms} ms`,
      note: error ?? leftOutNote(leftOut) ?? '',
    })),
    ...toolAgents.filter(isModule).map(({ name, health, calls, latency_ms }) => ({
      name,
      status: health.status === 'unhealthy' ? 'failed' : 'module',
      tools: health.tool_count,
      calls: String(calls),
      p50: latency_ms === null ? '' : `${latency_ms} ms`,
      note: health.message ?? '',
    })),
  ];
  return table(
    rows,
    [
      { header: 'SERVER', value: ({ name }) => name },
      { header: 'STATUS', value: ({ status }) => status },
      { header: 'TOOLS', value: ({ tools }) => String(tools) },
      { header: 'CALLS', value: ({ calls }) => calls },
      { header: 'P50', value: ({ p50 }) => p50 },
      { header: 'NOTE', value: ({ note }) => note },
    ],
    { columns: cli.out.columns, paint: cli.out.paint },
  );
}

export function isModule({ kind, id }: ToolAgentView): boolean {
  return kind === 'registry' && id !== OWN_SERVER;
}

function statusOf({
  status,
  offered,
  error,
}: Pick<McpConnection, 'status' | 'offered'> & { readonly error: string | undefined }): string {
  return status === 'disconnected' && offered && error === undefined ? 'asleep' : status;
}

export function toolTable({ orchestrator }: Tools, { modules }: ToolsView, cli: Cli): string {
  const rows: readonly OfferedTool[] = [...orchestrator.upstreamTools, ...[...modules.values()].flat()];
  return table(
    rows,
    [
      { header: 'TOOL', value: ({ name }) => name },
      { header: 'ASKS', value: ({ gated }) => (gated ? 'yes' : '') },
      { header: 'DESCRIPTION', value: descriptionOf },
    ],
    { columns: cli.out.columns, paint: cli.out.paint },
  );
}

/** The first paragraph: descriptions are written for models, and may have pages. */
function descriptionOf({ tool }: OfferedTool): string {
  const text = String(tool['description'] ?? tool['title'] ?? '');
  const [first = ''] = text.trim().split(/\n\s*\n/);
  return cut(oneLine(first), DESCRIPTION);
}
