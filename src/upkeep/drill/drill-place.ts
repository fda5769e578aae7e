import { execFileSync, spawnSync } from 'node:child_process';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { devNull } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentRows, type AgentRow } from '../../backends/local/records/agent-rows.ts';
import { sweepRun } from '../../platform/processes/process-tree.ts';
import { temporaryDirectory } from '../../platform/temporary-directory.ts';
import { openStore } from '../../backends/local/records/open-store.ts';

export const PROJECT = 'drill';

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Fleet drill',
  GIT_AUTHOR_EMAIL: 'drill@localhost',
  GIT_COMMITTER_NAME: 'Fleet drill',
  GIT_COMMITTER_EMAIL: 'drill@localhost',
};

/** A fleet to break: a home, a repository and a configuration of its own, in a directory that is gone afterwards. */
export class DrillPlace implements AsyncDisposable {
  readonly directory = realpathSync(mkdtempSync(join(temporaryDirectory(), 'fleet-drill-')));
  readonly home = join(this.directory, 'home');
  readonly repository = join(this.directory, 'repository');
  readonly marks = join(this.directory, 'marks');
  readonly env: NodeJS.ProcessEnv;
  /** Why the home has no disk of its own that could be filled. */
  readonly noSmallDisk: string | undefined;

  constructor(env: NodeJS.ProcessEnv) {
    const config = join(this.directory, 'fleet.yaml');
    // A token of the caller would be that of another fleet.
    const { FLEET_TOKEN: _, ...rest } = env;
    this.env = { ...rest, FLEET_HOME: this.home, FLEET_CONFIG: config };
    this.noSmallDisk = mountSmallDisk(this.home);
    writeFileSync(this.marks, '');
    mkdirSync(this.repository);
    this.git('init', '--quiet', '--initial-branch=main');
    this.git('commit', '--quiet', '--allow-empty', '--no-gpg-sign', '--message=first');
    writeFileSync(
      config,
      JSON.stringify({
        version: 1,
        projects: { [PROJECT]: { repository: this.repository, default_role: 'shell' } },
        roles: { shell: { agent: 'command', command: ['sh', '-s'], env: IDENTITY, write: [this.directory] } },
      }),
    );
  }

  git(...args: string[]): string {
    return execFileSync('git', ['-C', this.repository, '-c', `core.hooksPath=${devNull}`, ...args], {
      encoding: 'utf8',
      stdio: 'pipe',
      env: { ...process.env, ...IDENTITY },
    });
  }

  /** A task that writes its mark, does some work, and waits until it may end. */
  script(
    mark: string,
    { hold, work = ':' }: { readonly hold?: string; readonly work?: string } = {},
  ): string {
    const wait =
      hold === undefined ? '' : `while [ ! -e '${join(this.directory, hold)}' ]; do sleep 0.05; done`;
    return [`printf '%s\\n' ${mark} >> '${this.marks}'`, work, wait].join('\n');
  }

  /** Lets all tasks end that wait for it. */
  release(hold: string): void {
    writeFileSync(join(this.directory, hold), '');
  }

  has(file: string): boolean {
    return existsSync(join(this.directory, file));
  }

  /** A file as a branch of the repository has it. */
  read(branch: string | null, file: string): string {
    if (branch === null) return 'no branch';
    try {
      return this.git('show', `${branch}:${file}`).trim();
    } catch {
      return 'no such file';
    }
  }

  startedMarks(): string[] {
    return readFileSync(this.marks, 'utf8')
      .split('\n')
      .filter((line) => line !== '');
  }

  fillDisk(): void {
    spawnSync('dd', ['if=/dev/zero', `of=${join(this.home, 'filler')}`, 'bs=64k'], { stdio: 'ignore' });
  }

  emptyDisk(): void {
    rmSync(join(this.home, 'filler'), { force: true });
  }

  rows(): readonly AgentRow[] {
    if (!existsSync(join(this.home, 'store.db'))) return [];
    using store = openStore(this.home);
    return new AgentRows(store).all();
  }

  /** The runners of this fleet, by the home that is in their words. */
  processes(): number[] {
    const { stdout } = spawnSync('ps', ['-axww', '-o', 'pid=,args='], {
      encoding: 'utf8',
      maxBuffer: 64 * 1024 * 1024,
    });
    return stdout
      .split('\n')
      .filter((line) => line.includes('runner-main') && line.includes(this.home))
      .map((line) => Number.parseInt(line, 10));
  }

  /** Ends all of it, by ids: also a runner that was only just starting when its server was killed. */
  async [Symbol.asyncDispose](): Promise<void> {
    const workspaces = this.rows().map(({ workspace_id }) => workspace_id);
    for (let left = this.processes(); left.length > 0; left = this.processes()) {
      for (const pid of left) kill(pid);
      await delay(10);
    }
    for (const workspace of workspaces) await sweepRun(workspace);
    if (this.noSmallDisk === undefined) spawnSync('umount', [this.home], { stdio: 'ignore' });
    rmSync(this.directory, { recursive: true, force: true, maxRetries: 5 });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}

/** A disk of its own for the home, which can be filled; says why there is none. */
function mountSmallDisk(home: string): string | undefined {
  mkdirSync(home, { mode: 0o700 });
  if (process.platform !== 'linux') return 'needs Linux';
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m,mode=0700', 'fleet-drill', home], {
    stdio: 'ignore',
  });
  return status === 0 ? undefined : 'needs the right to mount a file system';
}
