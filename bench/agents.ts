import type { FactBody } from '../src/domain/fact.ts';
import type { AgentStatus } from '../src/domain/status.ts';
import type { Fleet } from '../src/fleet/fleet.ts';
import type { OpenedBench } from './opened-bench.ts';
import { PROJECT } from './stage.ts';

const MAX_WAIT_MS = 60_000;

export async function createAgent(bench: OpenedBench, task: string): Promise<string> {
  const { agent } = await bench.call('create_agent', { project: PROJECT, task });
  if (typeof agent !== 'object' || agent === null || !('name' in agent)) throw new Error('no agent was made');
  return String(agent.name);
}

/** Waits until an agent has a status, looking again whenever the fleet changes. */
export async function untilStatus(
  fleet: Fleet,
  name: string,
  ...wanted: readonly AgentStatus[]
): Promise<void> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const { status, status_reason } = await fleet.showAgent(name);
    if (wanted.includes(status)) return;
    if (status === 'failed' || performance.now() > until) {
      throw new Error(`agent ${name} is ${status} (${status_reason}), not ${wanted.join(' or ')}`);
    }
    await fleet.events?.changed(1000, AbortSignal.timeout(MAX_WAIT_MS));
  }
}

/** When a fact was written, on the clock that all processes of this machine share. */
export async function factTime(fleet: Fleet, name: string, kind: FactBody['kind']): Promise<number> {
  const { facts } = await fleet.facts(name);
  const found = facts.find((fact) => fact.body.kind === kind);
  if (found === undefined) throw new Error(`agent ${name} has no fact ${kind}`);
  return found.awake_ms;
}
