import { AGENT_STATUSES } from '../domain/status.ts';
import type { Fleet } from '../fleet/fleet.ts';

/** Counts answered requests, and writes them and the fleet's state as Prometheus reads it. */
export class Metrics {
  readonly #requests = new Map<string, number>();

  countRequest(route: string, code: number): void {
    const labels = `route="${escapeLabel(route)}",code="${code}"`;
    this.#requests.set(labels, (this.#requests.get(labels) ?? 0) + 1);
  }

  async render(fleet: Fleet): Promise<string> {
    const { agents } = await fleet.listAgents({});
    const lines = [
      ...header('fleet_agents', 'gauge', 'Agents by status.'),
      ...AGENT_STATUSES.map(
        (status) =>
          `fleet_agents{status="${status}"} ${agents.filter((agent) => agent.status === status).length}`,
      ),
      ...header('fleet_agents_needing_attention', 'gauge', 'Agents for which a human must act.'),
      `fleet_agents_needing_attention ${agents.filter((agent) => agent.needs_attention).length}`,
      ...header('fleet_http_requests_total', 'counter', 'Answered HTTP requests of this process.'),
      ...[...this.#requests].map(([labels, count]) => `fleet_http_requests_total{${labels}} ${count}`),
    ];
    return `${lines.join('\n')}\n`;
  }
}

function header(name: string, type: string, help: string): string[] {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`];
}

function escapeLabel(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}
