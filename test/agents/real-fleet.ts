import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { startModelServer, type ModelServer } from '../support/model-server/model-server.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { lendAgent } from './lend-agent.ts';
import { offlineEnvironment } from './offline-environment.ts';

export interface RealFleet extends AsyncDisposable {
  readonly fleet: LocalFleet;
  readonly model: ModelServer;
}

/** A real fleet with a real coding agent, whose model is scripted. */
export async function realFleet(
  agent: string,
  roles: Readonly<Record<string, object>> = {},
): Promise<RealFleet> {
  const model = await startModelServer();
  const fleet = localFleet((config) => {
    const userHome = join(config.projects['Setup']?.['repository'] as string, '..', 'user');
    mkdirSync(userHome);
    const { PATH: _, ...env } = offlineEnvironment(agent, model.url, userHome);
    const role = { agent, env, retry: { wait: '1s', tries: 3 } };
    config.roles = { ...config.roles, coder: role };
    for (const [name, extra] of Object.entries(roles)) config.roles[name] = { ...role, ...extra };
    for (const project of Object.values(config.projects)) project['default_role'] = 'coder';
  });
  lendAgent(agent, fleet.home);
  return {
    fleet,
    model,
    [Symbol.asyncDispose]: async () => {
      await fleet[Symbol.asyncDispose]();
      await model[Symbol.asyncDispose]();
    },
  };
}
