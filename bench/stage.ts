import { spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { DatabaseSync } from 'node:sqlite';
import { agentPaths } from '../src/backends/local/records/paths.ts';
import { sweepRun } from '../src/platform/processes/process-tree.ts';
import { Timer } from './timer.ts';

/** A fleet of its own: where its state lives, and with what it is opened. */
export interface Place {
  readonly home: string;
  readonly cwd: string;
  readonly config: string;
  readonly env: Readonly<Record<string, string>>;
}

export const PROJECT = 'bench';

const REPOSITORY_FILES = 200;
const FILE_LINES = 80;

/** A temporary directory with all that the measures need. Nothing of it, and no process, is left behind. */
export class Stage {
  readonly directory = realpathSync(mkdtempSync(join(tmpdir(), 'fleet-bench-')));
  readonly repository = join(this.directory, 'repository');
  /** For programs whose time is told. */
  readonly timer = new Timer();
  readonly #homes: string[] = [];

  /** Makes the repository that agents borrow from. */
  async prepare(): Promise<void> {
    mkdirSync(join(this.repository, 'files'), { recursive: true });
    for (let index = 0; index < REPOSITORY_FILES; index++) {
      const lines = Array.from(
        { length: FILE_LINES },
        (_, line) => `file ${index}, line ${line} of a source`,
      );
      writeFileSync(join(this.repository, 'files', `${index}.txt`), `${lines.join('\n')}\n`);
    }
    await this.git('init', '--quiet', '--initial-branch=main');
    await this.git('add', '.');
    await this.git('commit', '--quiet', '--message=files');
  }

  /** Git in the repository; the milliseconds that it took. */
  async git(...args: readonly string[]): Promise<number> {
    const command = { file: 'git', args: ['-C', this.repository, ...args], env: this.#environment() };
    return (await this.timer.run(command)).ms;
  }

  /** A new fleet with the one project. */
  place(name: string, { sleep_after = '1h' }: { readonly sleep_after?: string } = {}): Place {
    const cwd = join(this.directory, name);
    const home = join(cwd, 'home');
    mkdirSync(home, { recursive: true, mode: 0o700 });
    const config = join(cwd, 'fleet.yaml');
    const repository = JSON.stringify(this.repository);
    writeFileSync(
      config,
      `version: 1
projects:
  ${PROJECT}: { repository: ${repository}, default_role: shell, sleep_after: ${sleep_after} }
roles:
  shell: { agent: command, command: [sh, -s] }
`,
    );
    this.#homes.push(home);
    return { home, cwd, config, env: { ...this.#environment(), FLEET_HOME: home, FLEET_CONFIG: config } };
  }

  /** Children of this very process that have a path under a directory in their words: runners stay children of
   *  whoever started them for as long as that lives. */
  processes(under = this.directory): readonly number[] {
    const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,ppid=,args='], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout.split('\n').flatMap((line) => {
      const [, pid, parent, words] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return Number(parent) === process.pid && words?.includes(under) === true ? [Number(pid)] : [];
    });
  }

  /** Ends them, each by its id. */
  async end(under = this.directory): Promise<void> {
    for (let round = 0; round < 200; round++) {
      const left = this.processes(under);
      if (left.length === 0) return;
      for (const pid of left) {
        try {
          process.kill(pid, 'SIGKILL');
        } catch {
          // It ended by itself.
        }
      }
      await delay(10);
    }
  }

  /** What runners wrote to their error output: nothing, while all is well. */
  complaints(): string {
    const logs = this.#homes.flatMap((home) =>
      workspacesOf(home).map((workspaceId) => agentPaths(home, workspaceId).runnerLog),
    );
    return logs
      .filter((log) => existsSync(log))
      .map((log) => readFileSync(log, 'utf8').slice(0, 2000))
      .join('');
  }

  async close(): Promise<void> {
    this.timer[Symbol.dispose]();
    await this.end();
    for (const home of this.#homes) {
      for (const workspaceId of workspacesOf(home)) {
        const { socket, selfSocket, runnerLog } = agentPaths(home, workspaceId);
        if (!existsSync(runnerLog)) continue;
        await sweepRun(workspaceId);
        for (const path of [socket, selfSocket]) rmSync(path, { force: true });
      }
    }
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
    // A runner that was only just starting finds its home gone, or is found here.
    await this.end();
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }

  /** The caller's own, without what would point at another fleet or another repository. */
  #environment(): Record<string, string> {
    const kept = Object.entries(process.env).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && !/^(FLEET_|GIT_|NODE_)/.test(entry[0]),
    );
    const who = { NAME: 'bench', EMAIL: 'bench@example.com' };
    const identity = Object.entries(who).flatMap(([key, value]) => [
      [`GIT_AUTHOR_${key}`, value],
      [`GIT_COMMITTER_${key}`, value],
    ]);
    return { ...Object.fromEntries(kept), ...Object.fromEntries(identity) };
  }
}

function workspacesOf(home: string): readonly string[] {
  try {
    const database = new DatabaseSync(join(home, 'store.db'), { readOnly: true });
    const rows = database.prepare('SELECT workspace_id FROM agents').all();
    database.close();
    return rows.map((row) => String(row['workspace_id']));
  } catch {
    return [];
  }
}
