import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { machineCapacity } from './machine-capacity.ts';

const MEGABYTE = 1024 * 1024;
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fleet-machine-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function file(path: string, text: string | number): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), `${text}\n`);
}

const memory = (): number => (machineCapacity(root).memory ?? Number.NaN) / MEGABYTE;

describe('what a machine has left', () => {
  it('is the memory that programs can have, not the empty part alone', () => {
    file('proc/meminfo', 'MemTotal: 8192000 kB\nMemFree: 1024 kB\nMemAvailable:    2048000 kB');
    expect(memory()).toBe(2000);
  });

  it('is less in a control group with a limit, ours or one above it; caches can be dropped', () => {
    file('proc/meminfo', 'MemAvailable: 8192000 kB');
    file('proc/self/cgroup', '0::/outer/inner');
    file('sys/fs/cgroup/outer/inner/memory.max', 'max');
    file('sys/fs/cgroup/outer/inner/memory.current', 10 * MEGABYTE);
    expect(memory()).toBe(8000);
    file('sys/fs/cgroup/outer/memory.max', 1000 * MEGABYTE);
    file('sys/fs/cgroup/outer/memory.current', 700 * MEGABYTE);
    expect(memory()).toBe(300);
    file('sys/fs/cgroup/outer/memory.stat', `anon 5\ninactive_file ${200 * MEGABYTE}\nactive_file 7`);
    expect(memory()).toBe(500);
  });

  it('is found in a control group of the first version too, where no limit is a huge one', () => {
    file('proc/meminfo', 'MemAvailable: 8192000 kB');
    file('proc/self/cgroup', '5:cpu,cpuacct:/\n4:memory:/box\n0::/');
    file('sys/fs/cgroup/memory/box/memory.limit_in_bytes', '9223372036854771712');
    file('sys/fs/cgroup/memory/box/memory.usage_in_bytes', 100 * MEGABYTE);
    expect(memory()).toBe(8000);
    file('sys/fs/cgroup/memory/box/memory.limit_in_bytes', 400 * MEGABYTE);
    expect(memory()).toBe(300);
  });

  it('is read from the pressure on the CPU, else from the load', () => {
    file('proc/pressure/cpu', 'some avg10=12.50 avg60=1.00 avg300=0.10 total=1\nfull avg10=0.00');
    expect(machineCapacity(root).cpu).toEqual({ kind: 'pressure', share: 0.125 });
    rmSync(join(root, 'proc'), { recursive: true });
    expect(machineCapacity(root)).toMatchObject({ memory: null, cpu: { kind: 'load' } });
  });

  it.skipIf(process.platform !== 'linux')('is known of this one (needs Linux)', () => {
    expect(machineCapacity().memory).toBeGreaterThan(0);
  });
});
