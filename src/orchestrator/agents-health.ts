import { setTimeout as delay } from 'node:timers/promises';
import type { Orchestrator } from './orchestrator.ts';
import type { AgentHealth } from './tool-agents/tool-agent.ts';

const HEALTH_MS = 1_000;

/** Of every tool agent, side by side, and of those that could not be made; one that does not answer holds up nobody. */
export async function agentsHealth({
  agents,
  failures,
  metrics,
}: Pick<Orchestrator, 'agents' | 'failures' | 'metrics'>): Promise<readonly AgentHealth[]> {
  const failed = [...failures].map(([agentId, { message }]): AgentHealth => {
    metrics.countHealthCheck(agentId);
    return {
      agentId,
      status: 'unhealthy',
      message,
      lastChecked: new Date().toISOString(),
      toolCount: 0,
    };
  });
  const made = await Promise.all(
    [...agents.values()].map(async (agent) => {
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
  return [...failed, ...made];
}
