import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runFleet, type Finished } from '../support/fleets/fleet-process.ts';
import { makeRepository, processesNaming } from '../support/fleets/local-fleet.ts';

/** A user with a home directory, a repository and nothing else: no variable, no configuration, no fleet. */
export interface Place extends AsyncDisposable {
  readonly directory: string;
  /** The user's, not the fleet's. */
  readonly userHome: string;
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
  /** Runs a command in the repository. */
  fleet(...args: string[]): Promise<Finished>;
}

export function makePlace(variables: (userHome: string) => NodeJS.ProcessEnv = () => ({})): Place {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-place-')));
  const userHome = join(directory, 'home');
  const temporary = join(directory, 'tmp');
  mkdirSync(userHome);
  mkdirSync(temporary);
  const repository = makeRepository(join(directory, 'repository'));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, HOME: userHome, TMPDIR: temporary, ...variables(userHome) };
  return {
    directory,
    userHome,
    repository,
    env,
    fleet: (...args) => runFleet(args, { env, cwd: repository }),
    [Symbol.asyncDispose]: async () => {
      while (process.platform === 'linux' && processesNaming(directory).length > 0) {
        for (const pid of processesNaming(directory)) kill(pid);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
