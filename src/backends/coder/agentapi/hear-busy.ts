import { setTimeout as delay } from 'node:timers/promises';
import type { AgentRecord } from '../../backend.ts';

/** Whoever lists does not wait longer for one that says nothing. */
const LIMIT_MS = 3_000;

/** AgentAPI does not say by itself that an agent has come to rest: those that are at work are asked. */
export async function hearBusy(
  agents: readonly AgentRecord[],
  hear: (agent: AgentRecord) => Promise<unknown>,
): Promise<void> {
  const busy = agents.filter(({ state }) => state.running !== null || state.queue.length > 0);
  if (busy.length === 0) return;
  const heard = Promise.all(busy.map((agent) => hear(agent).catch(() => {})));
  const over = new AbortController();
  await Promise.race([heard, delay(LIMIT_MS, undefined, { signal: over.signal }).catch(() => {})]);
  over.abort();
}
