import { setTimeout as delay } from 'node:timers/promises';
import type { OrchestratorMetrics } from './orchestrator-metrics.ts';
import type { AgentHealth, ToolAgent } from './tool-agent.ts';

const HEALTH_MS = 1_000;

/** Of every tool agent, side by side; one that does not answer holds up nobody. */
export async function agentsHealth(
  agents: readonly ToolAgent[],
  metrics: OrchestratorMetrics,
): Promise<readonly AgentHealth[]> {
  return Promise.all(
    agents.map(async (agent) => {
      metrics.countHealthCheck(agent.id);
      const late: AgentHealth = {
        agentId: agent.id,
        status: 'unknown',
        message: `it did not answer within ${HEALTH_MS} ms`,
        lastChecked: new Date().toISOString(),
        toolCount: agent.manifest.tools.length,
      };
      return Promise.race([agent.health(), delay(HEALTH_MS, late, { ref: false })]);
    }),
  );
}
