import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { startModelServer, type ModelServer } from '../support/model-server/model-server.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
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
  // Beside what agents can write to: a home directory is never one of these.
  const userHome = mkdtempSync(join(tmpdir(), 'fleet-user-'));
  const fleet = localFleet((config) => {
    const directory = dirname(config.projects['Setup']?.['repository'] as string);
    // Claude Code has its settings in the state that Fleet gives it; the others need the files that were written here.
    const { PATH: _path, CLAUDE_CONFIG_DIR: _state, ...env } = offlineEnvironment(agent, model.url, userHome);
    const settings = join(userHome, `.${agent}`);
    if (agent === 'qwen') env['QWEN_HOME'] = settings;
    const role = { agent, env, write: [directory, settings], retry: { wait: '1s', tries: 3 } };
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
      rmSync(userHome, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
