import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { stringify } from 'yaml';
import { FleetError, isErrorCode } from '../../src/domain/values/errors.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { askAs, type Answer, type Ask } from '../support/fleets/fleet-under-test.ts';
import { makeRepository, processesNaming, SCRIPTED } from '../support/fleets/local-fleet.ts';

const FIXTURE = join(import.meta.dirname, '..', 'fixtures', 'runner-0.1.0');

/** A home that two versions work on: the first, from the fixture, and this one. */
export interface SharedHome extends AsyncDisposable {
  readonly directory: string;
  readonly home: string;
  readonly repository: string;
  readonly env: NodeJS.ProcessEnv;
  /** By the command of the first version. */
  readonly older: Ask;
  /** By this one, in this process: each call opens the fleet for itself, as a command does. */
  readonly newer: Ask;
  /** By any command, on any Node. */
  by(launcher: string, node?: string): Ask;
  store<Result>(look: (database: DatabaseSync) => Result): Result;
  /** The command line of an agent's registered runner. */
  runnerOf(name: string): { readonly pid: number; readonly program: string };
  journalOf(name: string): string;
}

export function sharedHome(): SharedHome {
  const directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-versions-')));
  const home = join(directory, 'home');
  const repository = makeRepository(join(directory, 'repository'));
  const configFile = join(directory, 'fleet.yaml');
  writeFileSync(configFile, stringify(configOf(repository)));
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = {
    PATH,
    NODE_COMPILE_CACHE,
    HOME: directory,
    TMPDIR: tmpdir(),
    FLEET_HOME: home,
    FLEET_CONFIG: configFile,
    // The first version knows no `write` of a role, and tasks leave files for the tests.
    FLEET_CONTAINMENT: 'marker',
  };
  const first = join(directory, 'first');
  unpack('package', first);
  const by = (launcher: string, node = process.execPath): Ask => asker([node, launcher], env);
  const store = <Result>(look: (database: DatabaseSync) => Result): Result => {
    using database = closing(new DatabaseSync(join(home, 'store.db'), { timeout: 5000 }));
    return look(database.database);
  };
  const rowOf = (name: string): Answer =>
    store(
      (database) =>
        database.prepare('SELECT workspace_id, runner FROM agents WHERE name = ?').get(name) ?? {},
    );
  return {
    directory,
    home,
    repository,
    env,
    older: by(join(first, 'bin', 'fleet.js')),
    newer: async (operation, input = {}) => {
      await using opened = openFleet({ env, cwd: directory });
      return await askAs(opened.fleet)(operation, input);
    },
    by,
    store,
    runnerOf: (name) => {
      const { pid } = JSON.parse(String(rowOf(name)['runner'])) as { pid: number };
      const words = execFileSync('ps', ['-o', 'args=', '-p', String(pid)], { encoding: 'utf8' });
      return { pid, program: words.split(' ').find((word) => word.includes('runner-main')) ?? '' };
    },
    journalOf: (name) => join(home, 'agents', String(rowOf(name)['workspace_id']), 'journal.db'),
    [Symbol.asyncDispose]: async () => {
      while (process.platform === 'linux' && processesNaming(directory).length > 0) {
        for (const pid of processesNaming(directory)) kill(pid);
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
      rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Puts what the first version left where a test wants it. */
export function unpack(what: 'package' | 'home', into: string): void {
  mkdirSync(into, { recursive: true });
  execFileSync('tar', ['-xzf', join(FIXTURE, `${what}.tgz`), '-C', into]);
}

/** Changes a file wherever it says something. */
export function edit(file: string, find: string, replace: string): void {
  const text = readFileSync(file, 'utf8');
  if (!text.includes(find)) throw new Error(`${file} does not say ${find}`);
  writeFileSync(file, text.replaceAll(find, replace));
}

function configOf(repository: string): object {
  const project = { repository, default_role: 'scripted' };
  return {
    version: 1,
    projects: { Setup: project, Sleepy: { ...project, sleep_after: '200ms' } },
    roles: {
      scripted: { agent: 'command', command: [process.execPath, SCRIPTED] },
      shell: { agent: 'command', command: ['sh', '-s'] },
    },
  };
}

function asker([node, launcher]: readonly [string, string], env: NodeJS.ProcessEnv): Ask {
  return async (operation, input = {}) => {
    const child = spawn(node, [launcher, 'call', operation, JSON.stringify(input)], {
      env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let stdout = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
    await once(child, 'close');
    const answer = JSON.parse(stdout) as Answer & { error?: Answer };
    if (answer.error === undefined) return answer;
    const { code, message, details } = answer.error;
    throw new FleetError(isErrorCode(code) ? code : 'INTERNAL_ERROR', String(message), details as Answer);
  };
}

function closing(database: DatabaseSync): Disposable & { readonly database: DatabaseSync } {
  return { database, [Symbol.dispose]: () => database.close() };
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
