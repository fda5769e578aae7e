import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { programFile } from '../../../src/platform/package.ts';
import { AgentApiStandIn } from './agentapi-stand-in.ts';

export type Transition = 'start' | 'stop' | 'delete';

export interface StandInBuild {
  readonly id: string;
  readonly build_number: number;
  readonly transition: Transition;
  readonly created_at: string;
  readonly preset_id: string | null;
  readonly version_id: string;
  readonly parameters: Readonly<Record<string, string>>;
  job: 'pending' | 'running' | 'succeeded' | 'failed' | 'canceling' | 'canceled';
  error: string | null;
}

export interface StandInStatus {
  readonly id: string;
  readonly created_at: string;
  readonly state: string;
  readonly message: string;
  readonly uri: string;
}

export interface StandInAgent {
  readonly id: string;
  readonly token: string;
  readonly statuses: StandInStatus[];
  status: 'connecting' | 'connected' | 'disconnected' | 'timeout';
  lifecycle: 'created' | 'starting' | 'ready';
  first_connected_at: string | null;
  disconnected_at: string | null;
}

/** How the stand-in's workspaces behave. */
export interface Manners {
  /** How long a build takes. */
  build_ms: number;
  /** Builds that are to fail, and why. */
  fail: Partial<Record<Transition, string>>;
  /** False: no process is started, the workspace is there all the same. */
  runners: boolean;
  /** Cloned into a new workspace, as templates do; and the program by which Coder lets git log in. */
  repository?: { readonly url: string; readonly askpass: string };
  /** True: runners are as those of a version without calls for the work of agents. */
  older?: boolean;
  /** False: the agents of workspaces do not connect. */
  connects: boolean;
}

interface Identity {
  readonly name: string;
  /** The app that its template has. */
  readonly app: string;
  readonly template_id: string;
  readonly directory: string;
  readonly url: string;
  readonly manners: Manners;
}

/** One workspace of the stand-in: builds one after the other, and a real runner while it is started. */
export class StandInWorkspace {
  readonly id = randomUUID();
  readonly created_at = new Date().toISOString();
  readonly identity: Identity;
  readonly builds: StandInBuild[] = [];
  readonly watchers = new Set<() => void>();
  agent: StandInAgent | null = null;
  latest_status: StandInStatus | null = null;
  dormant_at: string | null = null;
  deadline: string | null = null;
  port = 0;
  agentapi: AgentApiStandIn | undefined;
  #runner: ChildProcess | undefined;
  #stopping = false;
  #over = false;

  constructor(identity: Identity) {
    this.identity = identity;
  }

  get latest(): StandInBuild {
    const build = this.builds.at(-1);
    if (build === undefined) throw new Error('a workspace has a build');
    return build;
  }

  get isBuilding(): boolean {
    return ['pending', 'running', 'canceling'].includes(this.latest.job);
  }

  get isDeleted(): boolean {
    return this.latest.transition === 'delete' && this.latest.job === 'succeeded';
  }

  /** Begins a build; its steps go on by themselves. */
  build(
    transition: Transition,
    given: Pick<StandInBuild, 'parameters' | 'preset_id' | 'version_id'>,
    then?: () => void,
  ): StandInBuild {
    const before = this.builds.at(-1);
    const build: StandInBuild = {
      id: randomUUID(),
      build_number: (before?.build_number ?? 0) + 1,
      transition,
      created_at: new Date().toISOString(),
      ...given,
      parameters: { ...before?.parameters, ...given.parameters },
      job: 'pending',
      error: null,
    };
    this.builds.push(build);
    void this.#perform(build, then);
    return build;
  }

  report(status: Omit<StandInStatus, 'id' | 'created_at'>): void {
    const whole = { id: randomUUID(), created_at: new Date().toISOString(), ...status };
    this.agent?.statuses.unshift(whole);
    this.latest_status = whole;
    this.#tell();
  }

  /** Somebody else's, when it is not of the user of the token. */
  owner: string | undefined;
  /** What its template publishes about it. */
  metadata: { key: string; value: string; sensitive: boolean }[] = [];
  /** What scripts of its template say. */
  scripts: Record<string, string> = {};
  app_health: 'healthy' | 'unhealthy' = 'healthy';

  /** As when the network to it is gone. */
  disconnect(): void {
    if (this.agent === null) return;
    this.agent.status = 'disconnected';
    this.agent.disconnected_at = new Date().toISOString();
    this.#tell();
  }

  /** As when it has not connected within the time that its template gives it. */
  timeOut(): void {
    if (this.agent === null) return;
    this.agent.status = 'timeout';
    this.#tell();
  }

  get runnerPid(): number | undefined {
    return this.#runner?.pid;
  }

  async end(): Promise<void> {
    this.#over = true;
    await this.#endRunner('SIGKILL');
    rmSync(this.#directory, { recursive: true, force: true });
  }

  /** Where its agent works. */
  get projectDirectory(): string {
    return join(this.#directory, 'project');
  }

  get #directory(): string {
    return join(this.identity.directory, this.id);
  }

  async #perform(build: StandInBuild, then: (() => void) | undefined): Promise<void> {
    const { build_ms, fail } = this.identity.manners;
    await delay(1);
    if (build.job === 'pending') build.job = 'running';
    this.#tell();
    if (build.transition !== 'start' && build.job === 'running') {
      this.agent = null;
      await this.#endRunner('SIGTERM');
    }
    await delay(build_ms);
    if (build.job === 'canceling') build.job = 'canceled';
    else if (fail[build.transition] !== undefined) {
      build.job = 'failed';
      build.error = fail[build.transition] ?? null;
    } else if (build.job === 'running') {
      if (build.transition === 'start') await this.#start(build);
      if (build.transition === 'delete') rmSync(this.#directory, { recursive: true, force: true });
      build.job = 'succeeded';
      then?.();
    }
    this.#tell();
  }

  async #start(build: StandInBuild): Promise<void> {
    if (this.#over) return;
    await this.#endRunner('SIGTERM');
    if (this.identity.manners.runners) this.port ||= await freePort();
    const { connects } = this.identity.manners;
    this.agent = {
      id: randomUUID(),
      token: randomUUID(),
      statuses: [],
      status: connects ? 'connected' : 'connecting',
      lifecycle: connects ? 'ready' : 'created',
      first_connected_at: connects ? new Date().toISOString() : null,
      disconnected_at: null,
    };
    this.#stopping = false;
    if (!connects) return;
    if (!this.identity.manners.runners) return;
    if (this.identity.app !== 'fleet') {
      mkdirSync(this.projectDirectory, { recursive: true });
      this.agentapi = new AgentApiStandIn(this.port, build.parameters['ai_prompt'] ?? '');
      return;
    }
    const parameters = join(this.#directory, 'parameters');
    mkdirSync(parameters, { recursive: true });
    for (const [name, value] of Object.entries(build.parameters))
      writeFileSync(join(parameters, name), value);
    const { repository } = this.identity.manners;
    if (repository !== undefined && !existsSync(this.projectDirectory)) {
      const clone = ['clone', '--quiet', '--single-branch', repository.url, this.projectDirectory];
      const env = { ...process.env, GIT_ASKPASS: repository.askpass };
      await promisify(execFile)('git', clone, { env });
    }
    this.#run();
  }

  #run(): void {
    const { url, name } = this.identity;
    const child = spawn(process.execPath, [programFile('backends/coder/runner/coder-runner-main')], {
      env: {
        PATH: process.env['PATH'],
        GIT_ASKPASS: this.identity.manners.repository?.askpass,
        HOME: this.#directory,
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        CODER_AGENT_URL: url,
        CODER_AGENT_TOKEN: this.agent?.token,
        CODER_WORKSPACE_ID: this.id,
        CODER_WORKSPACE_NAME: name,
        FLEET_PARAMETERS: join(this.#directory, 'parameters'),
        FLEET_STATE: join(this.#directory, 'fleet'),
        FLEET_DIRECTORY: this.projectDirectory,
        FLEET_STORAGE: 'persistent',
        FLEET_PORT: String(this.port),
      },
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said += chunk.toString()));
    this.#runner = child;
    child.once('exit', (code) => {
      if (code !== 0 && said !== '' && !this.#stopping) console.error(`runner of ${name}: ${said}`);
      // As the start script has it.
      if (code !== 0 && !this.#stopping && this.#runner === child)
        setTimeout(() => this.#stopping || this.#run(), 200);
    });
  }

  async #endRunner(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#stopping = true;
    this.agentapi?.end();
    this.agentapi = undefined;
    const child = this.#runner;
    this.#runner = undefined;
    if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const gone = new Promise((resolve) => child.once('exit', resolve));
    child.kill(signal);
    const timer = setTimeout(() => child.kill('SIGKILL'), 15_000);
    await gone;
    clearTimeout(timer);
  }

  #tell(): void {
    for (const watcher of this.watchers) watcher();
  }
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
