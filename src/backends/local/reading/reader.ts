import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, realpathSync, rmSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Cell } from '../../../platform/processes/cell.ts';
import { FleetError } from '../../../domain/values/errors.ts';
import { isSandboxed } from '../../../platform/processes/containment.ts';
import { findProgram } from '../../../platform/processes/find-program.ts';
import { removeProcessGroup } from '../../../platform/processes/process-group.ts';
import { startProgram } from '../../../runner/programs/start-program.ts';
import type { AgentPaths } from '../records/paths.ts';
import { containmentLoss } from '../records/require-containment.ts';
import type { WorkspacePlan } from '../records/workspace-plan.ts';

export interface ReaderParts {
  readonly home: string;
  readonly paths: AgentPaths;
  readonly plan: WorkspacePlan;
  readonly workspace_id: string;
  /** Git directories whose objects it may read. */
  readonly lenders: readonly string[];
  /** False for an agent whose role gives the sandbox up. */
  readonly contained: boolean;
  /** True for a program that repairs the workspace. */
  readonly repairs?: boolean;
  /** The name of its scratch directory: what reads beside the runner has one of its own. */
  readonly scratch?: string;
}

export interface Reading {
  readonly script: string;
  readonly args: readonly string[];
  readonly input?: Buffer;
  readonly env?: Readonly<Record<string, string>>;
  readonly limit_ms: number;
}

export interface WhatWasRead {
  readonly ok: boolean;
  readonly stdout: Buffer;
  readonly stderr: string;
}

/** What the markers of all readings of an agent begin with. */
export function readerMarker(workspaceId: string): string {
  return `reader-${workspaceId}`;
}

const MOST_OUTPUT = 64 * 1024 ** 2;
const MOST_ERRORS = 100_000;

/** Reads what an agent has written, by programs that have less than the agent: no network, no home of the user, nothing to
 *  write to but a directory that is thrown away and memory (/dev/shm) of their own, and a time limit. Programs that the agent
 *  made git run, run there. */
export class Reader {
  readonly #parts: ReaderParts;

  constructor(parts: ReaderParts) {
    this.#parts = parts;
  }

  /** Where a program that reads may write. */
  get scratch(): string {
    return join(this.#parts.paths.stage, this.#parts.scratch ?? 'reader');
  }

  /** Empties the directory that programs may write to. */
  clear(): void {
    rmSync(this.scratch, { recursive: true, force: true });
    mkdirSync(this.scratch, { recursive: true, mode: 0o700 });
  }

  async read(reading: Reading): Promise<WhatWasRead> {
    const parts: Buffer[] = [];
    let size = 0;
    const { ok, stderr } = await this.stream(reading, (child) => {
      child.stdout.on('data', (chunk: Buffer) => {
        size += chunk.length;
        if (size > MOST_OUTPUT) end(child);
        else parts.push(chunk);
      });
    });
    return { ok: ok && size <= MOST_OUTPUT, stdout: Buffer.concat(parts), stderr };
  }

  /** As `read`, for a caller that takes the output as it comes. */
  async stream(
    { script, args, input, env, limit_ms }: Reading,
    take: (child: ChildProcessWithoutNullStreams) => void,
  ): Promise<Omit<WhatWasRead, 'stdout'>> {
    const { plan, workspace_id } = this.#parts;
    mkdirSync(this.scratch, { recursive: true, mode: 0o700 });
    // Its own mark: the end of a task ends what has the agent's, and another reading may begin as this one ends.
    const marker = `${readerMarker(workspace_id)}.${randomUUID()}`;
    const child = startProgram({
      command: ['/bin/sh', '-c', script, 'fleet-reader', ...args],
      directory: plan.directory,
      env: { ...this.#environment(), ...env },
      marker,
      cell: this.#cell(),
    });
    let stderr = '';
    child.stderr.on('data', (chunk: Buffer) => {
      if (stderr.length < MOST_ERRORS) stderr += chunk.toString();
    });
    child.stdin.on('error', () => {});
    child.stdin.end(input);
    take(child);
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      end(child);
    }, limit_ms);
    try {
      const [code] = (await once(child, 'close')) as [number | null];
      if (late) return { ok: false, stderr: `it took longer than ${limit_ms / 1000} s` };
      return { ok: code === 0, stderr: stderr.trim() };
    } catch (thrown) {
      return { ok: false, stderr: thrown instanceof Error ? thrown.message : String(thrown) };
    } finally {
      clearTimeout(timer);
      removeProcessGroup(marker);
    }
  }

  /** Settings in the environment stand above those of any file. */
  #environment(): Record<string, string> {
    const settings = [
      ['safe.directory', '*'],
      ['core.commitGraph', 'false'],
      ['core.multiPackIndex', 'false'],
      ['core.fsmonitor', 'false'],
      ['core.untrackedCache', 'false'],
      ['gc.auto', '0'],
      // Git LFS stores each file that git looks at, and it can write nowhere else.
      ['lfs.storage', join(this.scratch, 'lfs')],
      ['filter.lfs.required', 'false'],
    ] as const;
    return {
      PATH: process.env['PATH'] ?? '/usr/local/bin:/usr/bin:/bin',
      HOME: this.scratch,
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_ATTR_NOSYSTEM: '1',
      GIT_TERMINAL_PROMPT: '0',
      GIT_OPTIONAL_LOCKS: '0',
      GIT_NO_LAZY_FETCH: '1',
      GIT_ALLOW_PROTOCOL: 'none',
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_GRAFT_FILE: '/dev/null',
      GIT_CONFIG_COUNT: String(settings.length),
      ...Object.fromEntries(
        settings.flatMap(([key, value], index) => [
          [`GIT_CONFIG_KEY_${index}`, key],
          [`GIT_CONFIG_VALUE_${index}`, value],
        ]),
      ),
    };
  }

  /** Programs that the agent configured in git must not run outside a sandbox that its fleet has had. */
  checkContainment(): void {
    const { home, contained } = this.#parts;
    const loss = contained ? containmentLoss(home) : undefined;
    if (loss !== undefined)
      throw new FleetError('SERVICE_UNAVAILABLE', `The agent's repository was not read: ${loss}.`, {
        reason: 'containment_lost',
      });
  }

  #cell(): Cell | null {
    const { home, paths, plan, lenders, contained, repairs = false } = this.#parts;
    if (!contained) return null;
    this.checkContainment();
    if (!isSandboxed(contained)) return null;
    const [root, scratch] = [join(paths.stage, 'root'), join(paths.stage, 'scratch')];
    for (const directory of [root, scratch]) mkdirSync(directory, { recursive: true, mode: 0o700 });
    const readable = (from: string) => ({ from, writable: false });
    return {
      processes: 256,
      group: null,
      network: false,
      links: [],
      world: {
        root,
        scratch,
        replaced: [],
        hidden: [home, '/tmp', '/var/tmp', '/run', '/var/run', ...[homedir()].filter((path) => path !== '/')],
        shown: [
          { from: plan.directory, writable: repairs },
          ...lenders.map(readable),
          ...programDirectories().map(readable),
          { from: this.scratch, writable: true },
        ],
      },
    };
  }
}

/** A git that the user has installed for themselves lies in what is hidden. */
function programDirectories(): readonly string[] {
  const git = findProgram('git', process.env['PATH']);
  if (git === undefined) return [];
  const real = dirname(dirname(realpathSync(git)));
  return real === '/usr' || real === '/' ? [] : [real, dirname(git)];
}

/** With all that it started, also where nothing else ends that. */
function end({ pid }: ChildProcessWithoutNullStreams): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It ended by itself.
  }
}
