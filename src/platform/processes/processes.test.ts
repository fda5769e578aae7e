import { spawn, type ChildProcess } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { RUN_MARKER } from './containment.ts';
import { takeLease, takeLeaseWhile } from '../database/lease.ts';
import { identify, isAlive, signalProcess } from './process-identity.ts';
import { findRun, sweepRun } from './process-tree.ts';

let directory: string;
const children: ChildProcess[] = [];
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'fleet-platform-'));
});
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true, force: true });
});

function start(command: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env: { ...process.env, ...env } });
  children.push(child);
  return child;
}

async function end(child: ChildProcess): Promise<void> {
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

describe('a process', () => {
  it('is known by more than its number', async () => {
    const child = start('sleep', ['1000']);
    const identity = identify(child.pid ?? 0);
    if (identity === undefined) throw new Error('it is not there');
    expect(isAlive(identity)).toBe(true);
    expect(isAlive({ ...identity, started: 'another time' })).toBe(false);
    expect(isAlive({ ...identity, boot: 'another boot' })).toBe(false);
    expect(signalProcess({ ...identity, started: 'another time' }, 'SIGKILL')).toBe(false);
    expect(isAlive(identity)).toBe(true);
    const exited = once(child, 'exit');
    expect(signalProcess(identity, 'SIGKILL')).toBe(true);
    await exited;
    expect(isAlive(identity)).toBe(false);
    expect(identify(child.pid ?? 0)).toBeUndefined();
  });

  it('of a task is found by its marker, with all that it started, and swept', async () => {
    const marker = randomUUID();
    const tree = start(
      process.execPath,
      [
        '-e',
        `const { spawn } = require('node:child_process');
         const bare = { stdio: 'ignore', detached: true, env: {} };
         spawn('/bin/sleep', ['1000'], { ...bare, env: process.env }).unref();
         spawn('/bin/sleep', ['1000'], bare);
         console.log('ready'); setInterval(() => {}, 1000);`,
      ],
      { [RUN_MARKER]: marker },
    );
    const stranger = start('sleep', ['1000'], { [RUN_MARKER]: `${marker}0` });
    await once(tree.stdout ?? tree, 'data');
    expect(findRun(marker)).toHaveLength(3);
    expect(await sweepRun(marker)).toBe(3);
    expect(findRun(marker)).toEqual([]);
    expect(findRun(`${marker}0`)).toEqual([stranger.pid]);
    expect(await sweepRun(marker)).toBe(0);
  });
});

describe('a lease', () => {
  it('is held by one, is free when it is released, and can be waited for', async () => {
    const file = join(directory, 'lease-1.db');
    const first = takeLease(file);
    expect(first).toBeDefined();
    expect(takeLease(file)).toBeUndefined();
    expect(await takeLeaseWhile(file, () => false)).toBeUndefined();
    let looks = 0;
    const waiting = takeLeaseWhile(file, () => {
      if (++looks === 3) first?.release();
      return true;
    });
    using second = await waiting;
    expect(second).toBeDefined();
    expect(takeLease(file)).toBeUndefined();
  });

  it('is free when the process that held it is killed, and not while it is only stopped', async () => {
    const file = join(directory, 'lease-2.db');
    const source = fileURLToPath(new URL('../database/lease.ts', import.meta.url));
    const holder = start(process.execPath, [
      '--input-type=module',
      '-e',
      `const { takeLease } = await import(${JSON.stringify(source)});
       globalThis.lease = takeLease(${JSON.stringify(file)});
       console.log('held'); setInterval(() => {}, 1000);`,
    ]);
    await once(holder.stdout ?? holder, 'data');
    expect(takeLease(file)).toBeUndefined();
    holder.kill('SIGSTOP');
    expect(takeLease(file)).toBeUndefined();
    await end(holder);
    using lease = takeLease(file);
    expect(lease).toBeDefined();
  });
});

describe('the clock', () => {
  it('goes on, and is the same for all processes of one boot', async () => {
    const source = fileURLToPath(new URL('../clock.ts', import.meta.url));
    const before = systemClock.now();
    const child = start(process.execPath, [
      '--input-type=module',
      '-e',
      `const { systemClock } = await import(${JSON.stringify(source)}); console.log(JSON.stringify(systemClock.now()));`,
    ]);
    const [chunk] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    const there = JSON.parse(chunk.toString()) as typeof before;
    const after = systemClock.now();
    expect(there.boot).toBe(before.boot);
    expect(there.awake_ms).toBeGreaterThanOrEqual(before.awake_ms);
    expect(there.awake_ms).toBeLessThanOrEqual(after.awake_ms);
  });
});
