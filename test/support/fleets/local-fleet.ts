import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { stringify } from 'yaml';
import { openFleet, type OpenedFleet } from '../../../src/fleet/open-fleet.ts';
import type { FleetUnderTest } from './fleet-under-test.ts';

export const SCRIPTED = fileURLToPath(new URL('../programs/scripted.mjs', import.meta.url));

export interface LocalFleet extends FleetUnderTest {
  readonly opened: OpenedFleet;
  readonly home: string;
  readonly repository: string;
  readonly configFile: string;
  /** What a process that uses this fleet has in its environment. */
  readonly env: NodeJS.ProcessEnv;
  configure(change: (config: TestConfig) => void): void;
}

export interface TestConfig {
  version: number;
  max_starting?: number;
  projects: Record<string, Record<string, unknown>>;
  roles: Record<string, Record<string, unknown>>;
  [key: string]: unknown;
}

/** What a fleet's home lies on, made before it and taken away after it. */
export interface HomeDisk {
  mount(home: string): void;
  unmount(home: string): void;
}

/** A real fleet on this machine, in a temporary directory, with nothing left of it afterwards. */
export function localFleet(
  change: (config: TestConfig) => void = () => {},
  disk: HomeDisk = { mount: () => {}, unmount: () => {} },
): LocalFleet {
  const directory = mkdtempSync(join(tmpdir(), 'fleet-test-'));
  const home = join(directory, 'home');
  disk.mount(home);
  const repository = makeRepository(join(directory, 'setup'));
  const other = makeRepository(join(directory, 'data-one'));
  const configFile = join(directory, 'fleet.yaml');
  const config: TestConfig = {
    version: 1,
    projects: {
      Setup: { repository, description: 'Development container for coding tasks', default_role: 'scripted' },
      DataOne: { repository: other, default_role: 'scripted' },
    },
    roles: {
      scripted: {
        agent: 'command',
        description: 'Does what it is told',
        command: [process.execPath, SCRIPTED],
      },
      shell: { agent: 'command', command: ['sh', '-s'] },
    },
  };
  const configure = (edit: (config: TestConfig) => void): void => {
    edit(config);
    // Programs of the tests leave files beside the repositories, for the tests to find. They themselves may lie in /tmp.
    const write = [directory, dirname(SCRIPTED)];
    const roles = Object.entries(config.roles).map(([name, role]) => [name, { write, ...role }]);
    writeFileSync(configFile, stringify({ ...config, roles: Object.fromEntries(roles) }));
  };
  configure(change);
  const env = { ...process.env, FLEET_HOME: home, FLEET_CONFIG: configFile };
  const opened = openFleet({ env, cwd: directory });
  return {
    opened,
    fleet: opened.fleet,
    directory,
    home,
    repository,
    configFile,
    env,
    configure,
    [Symbol.asyncDispose]: async () => {
      await opened[Symbol.asyncDispose]();
      await endAll(directory);
      disk.unmount(home);
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** What the keeper of `fleet serve` does for agents of this machine every two seconds. */
export async function keepOnce({ backendsOf }: OpenedFleet): Promise<void> {
  for (const backend of await backendsOf('local')) await backend.keep(new AbortController().signal);
}

/** A git repository with one commit. */
export function makeRepository(path: string): string {
  mkdirSync(path, { recursive: true });
  const git = (...args: string[]): void => {
    execFileSync('git', ['-C', path, '-c', 'user.name=Test', '-c', 'user.email=test@localhost', ...args], {
      stdio: 'pipe',
    });
  };
  git('init', '--quiet', '--initial-branch=main');
  writeFileSync(join(path, 'README.md'), '# a project\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'first');
  return path;
}

/** Kills every process whose command line or directory names a test's directory. */
async function endAll(directory: string): Promise<void> {
  if (process.platform !== 'linux') return;
  for (let round = 0; round < 50; round++) {
    const found = processesNaming(directory);
    if (found.length === 0) return;
    for (const pid of found) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // It ended by itself.
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/** The processes of a fleet that lives in a directory. */
export function processesNaming(directory: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && namesDirectory(pid, directory));
}

function namesDirectory(pid: number, directory: string): boolean {
  try {
    return (
      readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(`${directory}/home`) ||
      readFileSync(`/proc/${pid}/environ`, 'utf8').includes(`${directory}/home`)
    );
  } catch {
    return false;
  }
}
