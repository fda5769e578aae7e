import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../../../domain/values/errors.ts';
import { RunnerAway } from './proxied-json.ts';

/** A workspace that is starting takes its time. */
const MAX_WAIT_MS = 90_000;
const LOOK_MS = 250;

/** Asks an agent again while it is on its way, and says why when it is not. */
export async function retryWhileStarting<Result>(
  agent: { readonly name: string; offline(): Promise<FleetError | undefined> },
  ask: () => Promise<Result>,
): Promise<Result> {
  const until = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await ask();
    } catch (thrown) {
      const leaving = thrown instanceof FleetError && thrown.details.reason === 'runner_leaving';
      if (!(thrown instanceof RunnerAway) && !leaving) throw thrown;
      const offline = await agent.offline();
      if (offline !== undefined) throw offline;
      if (performance.now() > until) throw unreachable(agent.name, thrown.message);
      await delay(LOOK_MS);
    }
  }
}

function unreachable(name: string, why: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The runner of agent "${name}" cannot be reached (${why}). Retry; restart_agent starts it again.`,
    { reason: 'runner_unreachable' },
  );
}
