import { readFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { dirname, join } from 'node:path';
import type { CpuUse, MachineCapacity } from '../../domain/admission.ts';

/** What this machine has left, or the container that we are in. `root` is where its file system begins. */
export function machineCapacity(root = '/'): MachineCapacity {
  const file = (path: string): string | undefined => {
    try {
      return readFileSync(join(root, path), 'utf8');
    } catch {
      return undefined;
    }
  };
  const known = [freeMemory(file), ...groupMemory(file)].filter((bytes) => bytes !== undefined);
  return { memory: known.length === 0 ? null : Math.min(...known), cpu: cpuUse(file) };
}

type ReadFile = (path: string) => string | undefined;

function freeMemory(file: ReadFile): number | undefined {
  const [, kilobytes] = /^MemAvailable:\s+(\d+) kB$/m.exec(file('proc/meminfo') ?? '') ?? [];
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1024;
}

const GROUPS = 'sys/fs/cgroup';
/** Files of a control group: its limit, what it has, and what of it are caches that can be dropped. */
const V2 = { limit: 'memory.max', used: 'memory.current', cache: /^inactive_file (\d+)$/m };
const V1 = {
  limit: 'memory.limit_in_bytes',
  used: 'memory.usage_in_bytes',
  cache: /^total_inactive_file (\d+)$/m,
};

/** What is left in each control group from ours up to the root: the tightest limit is the one that counts. */
function groupMemory(file: ReadFile): readonly (number | undefined)[] {
  const lines = (file('proc/self/cgroup') ?? '').split('\n');
  return lines.flatMap((line) => {
    const [, controllers, group] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    if (group === undefined) return [];
    if (controllers === '') return upwards(group).map((each) => leftIn(file, join(GROUPS, each), V2));
    if (controllers?.split(',').includes('memory') !== true) return [];
    return upwards(group).map((each) => leftIn(file, join(GROUPS, 'memory', each), V1));
  });
}

function upwards(group: string): readonly string[] {
  return group === '/' ? [group] : [group, ...upwards(dirname(group))];
}

function leftIn(file: ReadFile, directory: string, names: typeof V2): number | undefined {
  const limit = Number(file(join(directory, names.limit)) ?? Number.NaN);
  const used = Number(file(join(directory, names.used)) ?? Number.NaN);
  // No limit is "max", or in the first version a number that no machine has.
  if (!Number.isFinite(limit) || !Number.isFinite(used) || limit > 2 ** 60) return undefined;
  const [, cache] = names.cache.exec(file(join(directory, 'memory.stat')) ?? '') ?? [];
  return Math.max(0, limit - used + Number(cache ?? 0));
}

function cpuUse(file: ReadFile): CpuUse | null {
  const [, share] = /^some avg10=([\d.]+)/m.exec(file('proc/pressure/cpu') ?? '') ?? [];
  if (share !== undefined) return { kind: 'pressure', share: Number(share) / 100 };
  // Windows has no load and says 0.
  return { kind: 'load', per_core: (loadavg()[0] ?? 0) / availableParallelism() };
}
