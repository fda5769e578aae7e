import { setTimeout as delay } from 'node:timers/promises';
import type { Orchestrator } from './orchestrator.ts';
import type { AgentHealth } from './tool-agents/tool-agent.ts';

/** Of every tool agent, side by side, and of those that could not be made; one that does not answer holds up nobody. */
export async function agentsHealth(
  { agents, failures, metrics }: Pick<Orchestrator, 'agents' | 'failures' | 'metrics'>,
  within_ms: number,
): Promise<readonly AgentHealth[]> {
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
        message: `it did not answer within ${within_ms} ms`,
        lastChecked: new Date().toISOString(),
        toolCount: agent.manifest.tools.length,
      };
      return Promise.race([agent.health(), delay(within_ms, late, { ref: false })]);
    }),
  );
  return [...failed, ...made];
}
