import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Launch } from '../../../domain/launch.ts';
import { AGENT_VARIABLE, TEAM_VARIABLE, VIEW_VARIABLE } from '../../../domain/team.ts';
import { programFile } from '../../../platform/package.ts';
import { TEAM_SERVER } from '../../../runner/acp/session-options.ts';
import type { InjectedServer } from '../../../runner/programs/driver.ts';
import type { AgentPaths } from '../records/paths.ts';

/** Of an agent that has tools and no team. */
export const TOOLS_SERVER = 'tools';

/** Starts what gives an agent the fleet's operations for a team of its own, and the tools of its view; undefined for a role
 *  without either. It is outside of the agent's containment, and ends with this process. */
export async function startTeamServer(
  home: string,
  { team, view, name, env, config }: Launch,
  { teamSocket }: AgentPaths,
): Promise<ChildProcess | undefined> {
  if ((team ?? view) === undefined || config === undefined) return undefined;
  const child = spawn(process.execPath, [programFile('server/stdio/team-main'), teamSocket], {
    cwd: home,
    // What the team's agents get of an environment is what their manager has of it.
    env: {
      ...env,
      FLEET_HOME: home,
      FLEET_CONFIG: config.path,
      FLEET_CONFIG_HASH: config.hash,
      [AGENT_VARIABLE]: name,
      ...(team === undefined ? {} : { [TEAM_VARIABLE]: JSON.stringify({ ...team, of: name }) }),
      ...(view === undefined ? {} : { [VIEW_VARIABLE]: view }),
    },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => {});
  await Promise.race([once(child.stdout, 'data'), once(child, 'exit'), once(child, 'error')]);
  return child;
}

/** The way to it from inside. */
export function teamServer({ team, view }: Launch, socket: string): readonly InjectedServer[] {
  if ((team ?? view) === undefined) return [];
  const command = [process.execPath, programFile('runner/bridge-main'), socket];
  return [{ name: team === undefined ? TOOLS_SERVER : TEAM_SERVER, command, env: {} }];
}
