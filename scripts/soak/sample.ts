import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** What a fleet costs at one moment. */
export interface Sample {
  readonly processes: number;
  readonly descriptors: number;
  readonly inodes: number;
  /** Kilobytes; pages that several share are counted once. */
  readonly runners_memory: number;
  readonly server_memory: number;
  readonly server_descriptors: number;
}

/** Looks at all processes of a fleet and at its home. */
export function takeSample(home: string, server: number): Sample {
  const runners = runnersOf(home);
  return {
    processes: runners.length,
    descriptors: sum(runners.map(descriptorsOf)),
    inodes: filesUnder(home).length,
    runners_memory: sum(runners.map(memoryOf)),
    server_memory: memoryOf(server),
    server_descriptors: descriptorsOf(server),
  };
}

/** The runners of the fleets below a directory, whoever started them. */
export function runnersOf(directory: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => {
      const words = quietly(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'), '').split('\0');
      return (
        words.some((word) => word.includes('runner-main')) && words.some((word) => word.startsWith(directory))
      );
    });
}

/** Ends them, each by its id. The server that started them has gone before. */
export function endRunners(directory: string): void {
  for (const pid of runnersOf(directory)) quietly(() => process.kill(pid, 'SIGKILL'), false);
}

/** Bytes of the files of a fleet whose names end so. */
export function bytesOf(home: string, ...endings: readonly string[]): number {
  const files = filesUnder(home).filter((file) => endings.some((ending) => file.endsWith(ending)));
  return sum(files.map((file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0));
}

function memoryOf(pid: number): number {
  const text = quietly(() => readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'), '');
  return Number(/^Pss:\s+(\d+) kB$/m.exec(text)?.[1] ?? 0);
}

function descriptorsOf(pid: number): number {
  return quietly(() => readdirSync(`/proc/${pid}/fd`).length, 0);
}

/** Not what agents have in their worktrees, nor what is only mounted there. */
function filesUnder(home: string): readonly string[] {
  return ['agents', 'archive', '.'].flatMap((part) => walk(join(home, part), part !== '.'));
}

function walk(directory: string, deeper: boolean): readonly string[] {
  const entries = quietly(() => readdirSync(directory, { withFileTypes: true }), []);
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    return deeper && entry.isDirectory() ? [path, ...walk(path, true)] : [path];
  });
}

/** A process may be gone, and a file too, between two looks. */
function quietly<Value>(look: () => Value, otherwise: Value): Value {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
