import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { containmentLevel } from '../../src/platform/processes/containment.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import type { EscapeUser } from './escape-rows.ts';
import { makeRepository, processesNaming } from '../support/fleets/local-fleet.ts';

const PROGRAMS = fileURLToPath(new URL('./programs', import.meta.url));
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
  /** In /tmp, however long the path of this user's own temporary directory is: some homes must be short. */
  readonly directory = mkdtempSync('/tmp/fleet-contained-');
  /** Unlike that of any other. */
  readonly id = basename(this.directory);
  readonly home = join(this.directory, 'home');
  /** Where agents leave files for the test. */
  readonly marks = join(this.directory, 'marks');
  /** The home directory of the level's user. */
  readonly userHome = join(this.directory, 'user');
  readonly env: NodeJS.ProcessEnv;
  readonly level: Level;

  constructor(level: Level) {
    this.level = level;
    const config = join(this.directory, 'fleet.yaml');
    const repository = makeRepository(join(this.directory, 'setup'));
    // In the home directory, which agents can read wherever this checkout lies.
    const programs = join(this.userHome, 'programs');
    cpSync(PROGRAMS, programs, { recursive: true });
    const program = (name: string): string[] => [process.execPath, join(programs, name)];
    mkdirSync(this.marks);
    const write = [this.marks];
    writeFileSync(
      config,
      JSON.stringify({
        version: 1,
        projects: {
          Setup: { repository, default_role: 'shell' },
          Other: { repository, default_role: 'shell' },
          Copying: { repository, default_role: 'shell', copy: ['conf/.env'] },
        },
        roles: {
          shell: { agent: 'command', command: ['sh', '-s'], write },
          'open-shell': { agent: 'command', command: ['sh', '-s'], contained: false },
          trying: { agent: 'command', command: program('tries.mjs'), write },
          writing: {
            agent: 'command',
            command: program('writes.mjs'),
            write,
            hide: [join(this.userHome, 'hidden'), join(this.userHome, 'hidden-file')],
          },
          calling: {
            agent: 'command',
            command: program('writes.mjs'),
            ssh_agent: true,
            sockets: [join(this.userHome, '.docker', 'run', 'docker.sock')],
          },
          escaping: { agent: 'command', command: program('escapes.mjs') },
          serving: { agent: 'command', command: program('serves.mjs') },
          open: { agent: 'command', command: program('tries.mjs'), contained: false },
          'escaping-open': { agent: 'command', command: program('escapes.mjs'), contained: false },
        },
      }),
    );
    this.give(this.directory);
    this.env = {
      PATH: process.env['PATH'],
      HOME: this.userHome,
      FLEET_HOME: this.home,
      FLEET_CONFIG: config,
      NODE_COMPILE_CACHE: join(this.directory, 'compiled'),
      ...level.env,
    };
  }

  addRole(name: string, role: object): void {
    const file = this.env['FLEET_CONFIG'] ?? '';
    const config = JSON.parse(readFileSync(file, 'utf8')) as { roles: object };
    writeFileSync(file, JSON.stringify({ ...config, roles: { ...config.roles, [name]: role } }));
  }

  /** Makes files that the test has written those of the level's user. */
  give(path: string): void {
    const { uid } = this.level;
    if (uid !== undefined) spawnSync('chown', ['-R', `${uid}:${uid}`, path]);
  }

  /** Any command, as the level's user; what it printed. */
  fleet(...args: string[]): string {
    const [file, ...words] = [...asUser(this.level.uid), process.execPath, FLEET, ...args];
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

  /** What came of each thing that the agent tried. */
  outcomes(name: string): Record<string, string> {
    return Object.fromEntries(
      this.lines(name).map((line) => {
        const { what, outcome } = JSON.parse(line) as { what: string; outcome: string };
        return [what, outcome] as const;
      }),
    );
  }

  get user(): EscapeUser {
    return (this.level.uid ?? process.getuid?.()) === 0 ? 'root' : 'plain';
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
  const program = `import('${fileURLToPath(new URL('../../src/platform/processes/containment.ts', import.meta.url))}')
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
