import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openFleet, type OpenedFleet } from '../../../src/fleet/open-fleet.ts';
import type { FleetUnderTest } from '../fleets/fleet-under-test.ts';

export const CODER_CONFIG = 'version: 1\nbackend: coder\n';

export interface CoderPlace extends FleetUnderTest {
  readonly opened: OpenedFleet;
  readonly env: NodeJS.ProcessEnv;
  readonly home: string;
}

interface PlaceParts {
  readonly directory: string;
  readonly server: { readonly url: string; readonly token: string };
  readonly config: string;
  /** Called when the fleet is closed, before its directory is removed. */
  end?(): PromiseLike<void>;
}

/** A fleet in a directory of its own whose agents run on a Coder server, or on a stand-in for one. */
export function openCoderPlace({ directory, server, config, end }: PlaceParts): CoderPlace {
  const configFile = join(directory, 'fleet.yaml');
  writeFileSync(configFile, config);
  const home = join(directory, 'home');
  const env = {
    ...process.env,
    FLEET_HOME: home,
    FLEET_CONFIG: configFile,
    CODER_URL: server.url,
    CODER_SESSION_TOKEN: server.token,
  };
  const opened = openFleet({ env, cwd: directory });
  return {
    opened,
    fleet: opened.fleet,
    directory,
    env,
    home,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await end?.();
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export function coderDirectory(): string {
  return mkdtempSync(join(tmpdir(), 'fleet-coder-'));
}
