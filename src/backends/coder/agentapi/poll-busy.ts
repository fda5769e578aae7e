import { setTimeout as delay } from 'node:timers/promises';
import type { AgentRecord } from '../../backend.ts';

/** A list does not wait longer for a silent workspace. */
const LIMIT_MS = 3_000;

/** AgentAPI does not say by itself that an agent has come to rest: those that are at work are asked, and given. */
export async function pollBusy(
  agents: readonly AgentRecord[],
  {
    isAgentApi,
    hear,
  }: { isAgentApi(agent: AgentRecord): boolean; hear(agent: AgentRecord): Promise<unknown> },
): Promise<ReadonlySet<AgentRecord>> {
  const busy = agents.filter(
    (agent) => (agent.state.running !== null || agent.state.queue.length > 0) && isAgentApi(agent),
  );
  if (busy.length === 0) return new Set();
  const heard = Promise.all(busy.map((agent) => hear(agent).catch(() => {})));
  const over = new AbortController();
  await Promise.race([heard, delay(LIMIT_MS, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
  return new Set(busy);
}
