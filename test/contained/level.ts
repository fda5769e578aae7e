import { spawnSync } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containmentLevel } from '../../src/platform/containment.ts';
import { FLEET } from '../support/fleet-process.ts';
import { makeRepository, processesNaming } from '../support/local-fleet.ts';

const TRIES = fileURLToPath(new URL('./programs/tries.mjs', import.meta.url));
const NOBODY = 65_534;

/** A form of the containment, as some user. */
export interface Level {
  readonly name: string;
  /** Why it cannot be tested here. */
  readonly skip: string | undefined;
  readonly sealed: boolean;
  readonly uid: number | undefined;
  readonly env: NodeJS.ProcessEnv;
}

const isRoot = process.getuid?.() === 0;
const noNamespaces = containmentLevel().level === 'namespace' ? undefined : 'no namespaces here';

export const LEVELS: readonly Level[] = [
  {
    name: `in namespaces, as ${isRoot ? 'root' : 'this user'}`,
    skip: noNamespaces,
    sealed: true,
    uid: undefined,
    env: {},
  },
  {
    name: 'in namespaces, as a plain user',
    skip: isRoot ? (noNamespaces ?? nobodyProblem()) : 'needs root to become another user',
    sealed: true,
    uid: NOBODY,
    env: {},
  },
  {
    name: 'by the marker',
    skip: process.platform === 'linux' ? undefined : 'needs Linux',
    sealed: false,
    uid: undefined,
    env: { FLEET_CONTAINMENT: 'marker' },
  },
];

/** For the title of a test. */
export function why({ skip }: Level): string {
  return skip === undefined ? '' : ` (skipped: ${skip})`;
}

/** A fleet whose every command runs at one level, as that level's user. */
export class ContainedFleet implements AsyncDisposable {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-contained-')));
  readonly home = join(this.directory, 'home');
  readonly env: NodeJS.ProcessEnv;
  readonly #level: Level;

  constructor(level: Level) {
    this.#level = level;
    const config = join(this.directory, 'fleet.yaml');
    const repository = makeRepository(join(this.directory, 'setup'));
    const userHome = join(this.directory, 'user');
    mkdirSync(userHome);
    writeFileSync(
      config,
      JSON.stringify({
        version: 1,
        projects: { Setup: { repository, default_role: 'shell' } },
        roles: {
          shell: { agent: 'command', command: ['sh', '-s'] },
          'open-shell': { agent: 'command', command: ['sh', '-s'], contained: false },
          trying: { agent: 'command', command: [process.execPath, TRIES] },
          open: { agent: 'command', command: [process.execPath, TRIES], contained: false },
        },
      }),
    );
    if (level.uid !== undefined) {
      chownSync(this.directory, level.uid, level.uid);
      spawnSync('chown', ['-R', `${level.uid}:${level.uid}`, this.directory]);
    }
    this.env = {
      PATH: process.env['PATH'],
      HOME: userHome,
      FLEET_HOME: this.home,
      FLEET_CONFIG: config,
      NODE_COMPILE_CACHE: join(this.directory, 'compiled'),
      ...level.env,
    };
  }

  /** Any command, as the level's user; what it printed. */
  fleet(...args: string[]): string {
    const [file, ...words] = [...asUser(this.#level.uid), process.execPath, FLEET, ...args];
    const { stdout, stderr, status } = spawnSync(file ?? '', words, {
      env: this.env,
      cwd: this.directory,
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`fleet ${args.join(' ')} ended with ${status}: ${stdout}${stderr}`);
    return stdout;
  }

  call(operation: string, input: object): Record<string, unknown> {
    return JSON.parse(this.fleet('call', operation, JSON.stringify(input))) as Record<string, unknown>;
  }

  /** An agent that has done its first task; its workspace id. */
  create(name: string, role: string, task: string): string {
    const { agent } = this.call('create_agent', { project: 'Setup', name, role, task });
    this.idle(name);
    return (agent as { workspace_id: string }).workspace_id;
  }

  idle(name: string): void {
    const { timed_out } = this.call('wait_for_agents', { agent_names: name, timeout_seconds: 60 });
    if (timed_out === true) throw new Error(`${name} did not become idle`);
  }

  /** What the agent printed. */
  lines(name: string): readonly string[] {
    const { logs } = this.call('show_agent_log', { agent_name: name, page_size: 100 });
    return (logs as { type: string; message: string }[])
      .filter(({ type }) => type === 'output')
      .map(({ message }) => message)
      .toReversed();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    while (processesNaming(this.directory).length > 0) {
      for (const pid of processesNaming(this.directory)) kill(pid);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

export function asUser(uid: number | undefined): readonly string[] {
  return uid === undefined ? [] : ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups'];
}

/** Undefined when another user can run Fleet from where it lies, and can make namespaces. */
function nobodyProblem(): string | undefined {
  const program = `import('${fileURLToPath(new URL('../../src/platform/containment.ts', import.meta.url))}')
    .then(({ containmentLevel }) => process.exit(containmentLevel().level === 'namespace' ? 0 : 3))`;
  const [file, ...args] = [...asUser(NOBODY), process.execPath, '-e', program];
  const { status } = spawnSync(file, args, { env: { PATH: process.env['PATH'] }, stdio: 'ignore', cwd: '/' });
  if (status === 0) return undefined;
  return status === 3 ? 'a plain user gets no namespaces here' : 'a plain user cannot read these files';
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
