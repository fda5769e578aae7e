import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import type { Gitea } from './gitea.ts';

const OPENER = fileURLToPath(new URL('./open-pull-request.mjs', import.meta.url));

/** A fleet whose project Setup is a repository of that forge, and whose agents of the role `opener` open a pull request
 *  for each task. */
export async function forgeFleet(gitea: Gitea): Promise<LocalFleet> {
  const { url, user, token } = gitea;
  process.env['SOME_FORGE_TOKEN'] = token;
  const fleet = localFleet((config) => {
    config['forges'] = { local: { type: 'gitea', url, token_env: 'SOME_FORGE_TOKEN' } };
    config.roles['opener'] = {
      agent: 'command',
      command: [process.execPath, OPENER],
      env: { FORGE_API: `${url}/api/v1/repos/${user}/setup`, FORGE_TOKEN: token },
    };
  });
  await gitea.call('POST', '/user/repos', { name: 'setup', private: true });
  const remote = new URL(`${url}/${user}/setup.git`);
  remote.username = user;
  remote.password = token;
  const git = (...args: string[]): unknown =>
    execFileSync('git', ['-C', fleet.repository, ...args], { stdio: 'pipe' });
  git('remote', 'add', 'origin', remote.href);
  git('push', '--quiet', 'origin', 'main');
  return fleet;
}
