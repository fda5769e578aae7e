import { toFleetError } from '../domain/values/errors.ts';
import { AGENT_STATUSES } from '../domain/status.ts';
import type { Fleet } from '../fleet/fleet.ts';
import { LATENCY_BUCKETS } from '../orchestrator/orchestrator-metrics.ts';
import type { ToolService } from '../orchestrator/calls/tool-service.ts';

/** Counts answered requests, and writes them and the fleet's state as Prometheus reads it. */
export class Metrics {
  readonly #requests = new Map<string, { readonly route: string; readonly code: number; count: number }>();

  countRequest(route: string, code: number): void {
    const key = `${code} ${route}`;
    const counted = this.#requests.get(key);
    if (counted === undefined) this.#requests.set(key, { route, code, count: 1 });
    else counted.count += 1;
  }

  async render(fleet: Fleet, tools?: ToolService): Promise<string> {
    const lines = [
      ...(await agentMetrics(fleet)),
      ...header('fleet_http_requests_total', 'counter', 'Answered HTTP requests of this process.'),
      ...[...this.#requests.values()].map(
        ({ route, code, count }) =>
          `fleet_http_requests_total{route="${escapeLabel(route)}",code="${code}"} ${count}`,
      ),
      ...(tools === undefined ? [] : toolMetrics(tools)),
    ];
    return `${lines.join('\n')}\n`;
  }
}

/** None while no backend answers: a zero would say that there are no agents. */
async function agentMetrics(fleet: Fleet): Promise<string[]> {
  try {
    const { agents } = await fleet.listAgents({});
    return [
      ...header('fleet_agents', 'gauge', 'Agents by status.'),
      ...AGENT_STATUSES.map(
        (status) =>
          `fleet_agents{status="${status}"} ${agents.filter((agent) => agent.status === status).length}`,
      ),
      ...header('fleet_agents_needing_attention', 'gauge', 'Agents for which a human must act.'),
      `fleet_agents_needing_attention ${agents.filter((agent) => agent.needs_attention).length}`,
    ];
  } catch (thrown) {
    if (toFleetError(thrown).code === 'SERVICE_UNAVAILABLE') return [];
    throw thrown;
  }
}

/** Names come from servers: they are escaped, and so many that the orchestrator bounds them. */
function toolMetrics({ orchestrator }: ToolService): string[] {
  const { metrics, mcpManager } = orchestrator;
  const name = 'fleet_tool_call_seconds';
  const histograms = [...metrics.histograms.values()].flatMap(({ server, tool, counts, sum_ms }) => {
    const labels = `server="${escapeLabel(server)}",tool="${escapeLabel(tool)}"`;
    let below = 0;
    const buckets = counts.map((count, index) => {
      below += count;
      const end = LATENCY_BUCKETS[index];
      return `${name}_bucket{${labels},le="${end === undefined ? '+Inf' : end / 1_000}"} ${below}`;
    });
    return [...buckets, `${name}_sum{${labels}} ${sum_ms / 1_000}`, `${name}_count{${labels}} ${below}`];
  });
  return [
    ...header(name, 'histogram', 'Calls of tools of upstream servers by this process.'),
    ...histograms,
    ...header('fleet_tool_errors_total', 'counter', 'Failed calls of tools by error code.'),
    ...[...metrics.errors].map(
      ([code, count]) => `fleet_tool_errors_total{code="${escapeLabel(code)}"} ${count}`,
    ),
    ...header('fleet_tool_health_checks_total', 'counter', 'Checks of the health of tool agents.'),
    ...[...metrics.agentHealthChecks].map(
      ([agent, count]) => `fleet_tool_health_checks_total{agent="${escapeLabel(agent)}"} ${count}`,
    ),
    ...header('fleet_upstream_up', 'gauge', 'Upstream servers that are connected.'),
    ...mcpManager
      .connections()
      .map(
        ({ serverName, status }) =>
          `fleet_upstream_up{server="${escapeLabel(serverName)}"} ${status === 'ready' ? 1 : 0}`,
      ),
  ];
}

function header(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
