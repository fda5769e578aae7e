import { join } from 'node:path';
import type { Place } from '../../bench/stage.ts';
import { cachedAdapter } from '../../test/agents/agents-cache.ts';
import { lendAgent } from '../../test/agents/lend-agent.ts';
import { offlineEnvironment } from '../../test/agents/offline-environment.ts';
import { scriptText } from '../../test/support/model-server/model-script.ts';
import { startModelServer } from '../../test/support/model-server/model-server.ts';

/** What the live agents of a fleet are. */
export interface LiveAgents extends AsyncDisposable {
  readonly role: object;
  readonly task: string;
}

export const SHELL_ROLE = { agent: 'command', command: ['sh', '-s'] };
export const SHELL_TASK = 'exit 0';

export async function liveAgents(agent: string, place: Place): Promise<LiveAgents> {
  if (agent === 'command')
    return { role: SHELL_ROLE, task: SHELL_TASK, [Symbol.asyncDispose]: async () => {} };
  if (cachedAdapter(agent) === undefined)
    throw new Error(`${agent} is not in the cache; npm run test:agents brings it there`);
  const model = await startModelServer();
  const { PATH: _, ...env } = offlineEnvironment(agent, model.url, join(place.cwd, 'user'));
  lendAgent(agent, place.home);
  return {
    role: { agent, env },
    task: scriptText([{ text: 'Ready.' }]),
    [Symbol.asyncDispose]: () => model[Symbol.asyncDispose](),
  };
}
