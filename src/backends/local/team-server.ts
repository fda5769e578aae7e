import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Launch } from '../../domain/launch.ts';
import { TEAM_VARIABLE } from '../../domain/team.ts';
import { programFile } from '../../platform/package.ts';
import type { InjectedServer } from '../../runner/driver.ts';
import type { AgentPaths } from './paths.ts';

export const TEAM_SERVER = 'team';

/** Starts what gives an agent the fleet's operations for a team of its own; undefined for a role without a team. It is
 *  outside of the agent's containment, and ends with this process. */
export async function startTeamServer(
  home: string,
  { team, name, env, config }: Launch,
  { teamSocket }: AgentPaths,
): Promise<ChildProcess | undefined> {
  if (team === undefined || config === undefined) return undefined;
  const child = spawn(process.execPath, [programFile('server/team-main'), teamSocket], {
    cwd: home,
    // What the team's agents get of an environment is what their manager has of it.
    env: {
      ...env,
      FLEET_HOME: home,
      FLEET_CONFIG: config.path,
      FLEET_CONFIG_HASH: config.hash,
      [TEAM_VARIABLE]: JSON.stringify({ ...team, of: name }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit'), once(child, 'error')]);
  return child;
}

/** The way to it from inside. */
export function teamServer({ team }: Launch, { teamSocket }: AgentPaths): readonly InjectedServer[] {
  if (team === undefined) return [];
  const command = [process.execPath, programFile('runner/bridge-main'), teamSocket];
  return [{ name: TEAM_SERVER, command, env: {} }];
}
