import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, type OpenedFleet } from '../../src/fleet/open-fleet.ts';
import { endWorkspaces, newCoderUser } from '../support/coder/coder-user.ts';
import type { RealCoder } from '../support/coder/real-coder.ts';
import type { FleetUnderTest } from '../support/fleet-under-test.ts';

/** Where the set-up says which server runs. */
export const PLACE_VARIABLE = 'FLEET_TEST_CODER_PLACE';

export interface RealFleet extends FleetUnderTest {
  readonly opened: OpenedFleet;
  readonly coder: RealCoder;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
}

export function realCoder(): RealCoder {
  return JSON.parse(readFileSync(join(process.env[PLACE_VARIABLE] ?? '', 'coder.json'), 'utf8')) as RealCoder;
}

/** A fleet of a user of its own on the real server, with nothing of it running afterwards. */
export async function realFleet(config = 'version: 1\nbackend: coder\n'): Promise<RealFleet> {
  const coder = await newCoderUser(realCoder());
  const directory = mkdtempSync(join(tmpdir(), 'fleet-on-coder-'));
  const configFile = join(directory, 'fleet.yaml');
  writeFileSync(configFile, config);
  const home = join(directory, 'home');
  const env = {
    ...process.env,
    FLEET_HOME: home,
    FLEET_CONFIG: configFile,
    CODER_URL: coder.url,
    CODER_SESSION_TOKEN: coder.token,
  };
  const opened = openFleet({ env, cwd: directory });
  return {
    opened,
    fleet: opened.fleet,
    coder,
    directory,
    env,
    home,
    [Symbol.asyncDispose]: async () => {
      const agents = await Promise.all((await opened.coder()).map((backend) => backend.list()));
      await endWorkspaces(
        coder,
        agents.flat().map(({ workspace_id }) => workspace_id),
      );
      await opened[Symbol.asyncDispose]();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}
