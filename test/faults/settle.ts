import { setTimeout as delay } from 'node:timers/promises';
import { agentsOf } from '../support/fleets/fleet-under-test.ts';
import type { Stage } from './stage.ts';
import { keepOnce } from '../support/fleets/local-fleet.ts';

const MAX_WAIT_MS = 60_000;
const AT_REST = new Set(['idle', 'stopped', 'failed', 'canceled']);

/** Does what `fleet serve` does now and then, until nothing is left to do. */
export async function settle(stage: Stage): Promise<void> {
  stage.release();
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    const problem = await keepOnce(stage.opened).catch((thrown: unknown) => thrown);
    const agents = await agentsOf(stage.ask);
    if (agents.every(({ status }) => AT_REST.has(status))) return;
    if (performance.now() > until) {
      const left = agents.map(({ name, status, status_reason }) => `${name} ${status}: ${status_reason}`);
      throw new Error(`never at rest: ${left.join('; ')}; ${String(problem)}`);
    }
    await delay(25);
  }
}
