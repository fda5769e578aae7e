import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PARAMETERS } from '../../src/backends/coder/parameters.ts';
import { openFleet, type OpenedFleet } from '../../src/fleet/open-fleet.ts';
import type { StandInTemplate } from './coder/stand-in-bodies.ts';
import { startStandIn, type StandIn } from './coder/stand-in.ts';
import type { FleetUnderTest } from './fleet-under-test.ts';
import { SCRIPTED } from './local-fleet.ts';

export interface CoderFleet extends FleetUnderTest {
  readonly opened: OpenedFleet;
  readonly standIn: StandIn;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
}

/** A fleet whose projects are templates of a stand-in for Coder. */
export async function coderFleet(config = 'version: 1\nbackend: coder\n'): Promise<CoderFleet> {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-coder-'));
  const standIn = await startStandIn(
    [
      template('setup', 'Setup', 'Development container for coding tasks'),
      template('dataone', 'DataOne', ''),
    ],
    join(directory, 'workspaces'),
  );
  const configFile = join(directory, 'fleet.yaml');
  writeFileSync(configFile, config);
  const home = join(directory, 'home');
  const env = {
    ...process.env,
    FLEET_HOME: home,
    FLEET_CONFIG: configFile,
    CODER_URL: standIn.url,
    CODER_SESSION_TOKEN: standIn.token,
  };
  const opened = openFleet({ env, cwd: directory });
  return {
    opened,
    fleet: opened.fleet,
    standIn,
    directory,
    env,
    home,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await standIn[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** A template that Fleet can drive. */
export function template(name: string, display_name: string, description: string): StandInTemplate {
  const roles: Record<string, readonly string[]> = {
    coder: ['sh', '-s'],
    manager: ['sh', '-s'],
    operator: ['sh', '-s'],
    scripted: [process.execPath, SCRIPTED],
  };
  return {
    id: randomUUID(),
    name,
    display_name,
    description,
    version_id: randomUUID(),
    parameters: [...Object.values(PARAMETERS), 'system_prompt', 'fleet_role'],
    apps: ['fleet'],
    presets: Object.entries(roles).map(([role, command]) => ({
      id: randomUUID(),
      name: role,
      description: `The role ${role}`,
      default: role === 'scripted',
      parameters: { fleet_role: JSON.stringify({ agent: 'command', command }) },
    })),
  };
}
