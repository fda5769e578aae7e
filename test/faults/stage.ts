import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { openFleet, type OpenedFleet } from '../../src/fleet/open-fleet.ts';
import { readProcStat } from '../../src/platform/processes/proc-stat.ts';
import { askAs, type Ask } from '../support/fleets/fleet-under-test.ts';
import { makeRepository, processesNaming, type TestConfig } from '../support/fleets/local-fleet.ts';
import { CUT_DIRECTORY, CUT_ROLE, cutFiles } from './cuts/cut-files.ts';
import { CUT } from './cuts/give-cut.ts';
import { fileURLToPath } from 'node:url';

export interface StageOptions {
  /** How long an agent is idle before it sleeps. */
  readonly sleep_after?: string;
  /** Lets the commands that an agent's program calls be cut. */
  readonly cutInside?: boolean;
  /** The agent speaks ACP; what becomes of its task when it or its runner dies. */
  readonly session?: 'interrupt' | 'resume';
  /** Counts the moments of processes that only look, which are many. */
  readonly looks?: boolean;
  /** Commands that the work of agents must pass. */
  readonly checks?: Readonly<Record<string, string>>;
  /** The first version uses it too, which knows no `write`: tasks leave their marks in the git directory. */
  readonly firstVersion?: boolean;
}

const ACP_AGENT = fileURLToPath(new URL('../support/programs/acp-agent.mjs', import.meta.url));

const open = new Set<Stage>();

/** Leaves nothing behind when a run is ended early. */
export async function disposeStages(): Promise<void> {
  await Promise.all([...open].map((stage) => stage[Symbol.asyncDispose]()));
}

/** A fleet for one case: its home, its repository, and what its tasks have left. */
export class Stage implements AsyncDisposable {
  readonly directory = mkdtempSync(join(tmpdir(), 'fleet-faults-'));
  readonly home = join(this.directory, 'home');
  readonly repository = join(this.directory, 'repository');
  /** Where tasks leave their marks. */
  readonly left: string;
  readonly env: NodeJS.ProcessEnv;
  readonly #files = cutFiles(this.directory);
  readonly #config: TestConfig;
  readonly #used = new AsyncDisposableStack();
  #opened: OpenedFleet | undefined;

  constructor({
    sleep_after = '5m',
    cutInside = false,
    looks = false,
    session,
    checks,
    firstVersion = false,
  }: StageOptions = {}) {
    open.add(this);
    cpSync(template(), this.repository, { recursive: true });
    this.left = firstVersion ? join(this.repository, '.git') : this.directory;
    mkdirSync(join(this.left, 'marks'));
    if (looks) writeFileSync(this.#files.looks, '');
    const inside = { NODE_OPTIONS: `--import ${CUT}`, [CUT_DIRECTORY]: this.directory, [CUT_ROLE]: 'inside' };
    this.#config = {
      version: 1,
      projects: {
        Setup: {
          repository: this.repository,
          default_role: session === undefined ? 'shell' : 'acp',
          sleep_after,
          ...(checks === undefined ? {} : { checks }),
        },
      },
      roles: {
        ...(session === undefined ? {} : { acp: { ...scripted(this.directory), on_crash: session } }),
        shell: {
          agent: 'command',
          command: ['sh', '-s'],
          ...(firstVersion ? {} : { write: [this.directory] }),
          ...(cutInside ? { env: inside } : {}),
        },
      },
    };
    this.env = {
      ...process.env,
      FLEET_HOME: this.home,
      FLEET_CONFIG: join(this.directory, 'fleet.yaml'),
    };
    this.configure(() => {});
  }

  configure(change: (config: TestConfig) => void): void {
    change(this.#config);
    writeFileSync(join(this.directory, 'fleet.yaml'), stringify(this.#config));
  }

  /** Ends something with the stage. */
  use<Used extends AsyncDisposable>(used: Used): Used {
    return this.#used.use(used);
  }

  /** The fleet as the harness itself uses it. */
  get opened(): OpenedFleet {
    this.#opened ??= openFleet({ env: this.env, cwd: this.directory });
    return this.#opened;
  }

  get ask(): Ask {
    return askAs(this.opened.fleet);
  }

  /** From now on moments count; with a point (`runner-1 17`) that process is stopped there. */
  arm(point?: string): void {
    if (point !== undefined) writeFileSync(this.#files.point, point);
    writeFileSync(this.#files.armed, '');
  }

  disarm(): void {
    rmSync(this.#files.armed, { force: true });
    rmSync(this.#files.point, { force: true });
  }

  /** What the process at a point was about to do, or had just done. */
  cutAt(point: string): string | undefined {
    const [role] = point.split(' ');
    const line = this.trace().find(
      (each) => each.startsWith(`${point} `) || each.replace(/ \d+ /, ' ') === point,
    );
    return line?.slice(`${role} `.length);
  }

  /** Whether the moment has come, and who was stopped there is gone. */
  wasCut(point: string): boolean {
    if (this.cutAt(point) === undefined) return false;
    const [pid] = linesOf(this.#files.claim(point.split(' ')[0] ?? ''));
    return pid === undefined || readProcStat(Number(pid)) === undefined;
  }

  /** As if nothing had been counted yet. */
  forgetMoments(): void {
    rmSync(this.#files.trace, { force: true });
    for (const name of readdirSync(this.directory))
      if (name.startsWith('claim-')) rmSync(join(this.directory, name));
  }

  trace(): string[] {
    return linesOf(this.#files.trace);
  }

  /** What the program of a task wrote down, in order: `begun`, `done`. */
  marks(key: string): string[] {
    return linesOf(join(this.left, 'marks', key));
  }

  /** Lets tasks that hold go on. */
  release(): void {
    writeFileSync(join(this.directory, 'go'), '');
  }

  async close(): Promise<void> {
    await this.#opened?.[Symbol.asyncDispose]();
    this.#opened = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    open.delete(this);
    await this.close();
    await this.#used.disposeAsync();
    for (
      let left = processesNaming(this.directory);
      left.length > 0;
      left = processesNaming(this.directory)
    ) {
      left.forEach(kill);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

let made: string | undefined;

/** Making a repository takes longer than all else here; every stage gets a copy of one. */
function template(): string {
  if (made !== undefined) return made;
  const directory = mkdtempSync(join(tmpdir(), 'fleet-faults-'));
  process.once('exit', () => rmSync(directory, { recursive: true, force: true }));
  made = makeRepository(join(directory, 'repository'));
  return made;
}

export function linesOf(file: string): string[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  } catch {
    return [];
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

function scripted(directory: string): object {
  const sessions = join(directory, 'sessions');
  mkdirSync(sessions);
  return {
    agent: 'acp',
    command: [process.execPath, ACP_AGENT],
    env: { SCRIPTED_SESSIONS: sessions },
    write: [directory],
  };
}
