import { execFileSync, spawnSync } from 'node:child_process';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { HomeDisk } from '../support/fleets/local-fleet.ts';

/** Whether a file system can be mounted here: on Linux, as root. */
export const canMount =
  process.platform === 'linux' &&
  process.getuid?.() === 0 &&
  spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt'], { stdio: 'ignore' }).status ===
    0;

/** A file system of its own, some megabytes large. */
export const SMALL_DISK: HomeDisk = {
  mount: (home) => {
    mkdirSync(home, { mode: 0o700 });
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=6m,mode=0700', 'tmpfs', home]);
  },
  unmount: (home) => {
    execFileSync('umount', ['--lazy', home]);
  },
};

/** Takes the last byte of a file system. */
export function fill(home: string): void {
  const file = openSync(join(home, 'filling'), 'a');
  try {
    for (const size of [65_536, 4096, 1]) writeUntilFull(file, Buffer.alloc(size, 'x'));
  } finally {
    closeSync(file);
  }
}

export function empty(home: string): void {
  rmSync(join(home, 'filling'), { force: true });
}

/** Whoever comes to a home from now on finds it read-only; whoever is in it does not notice. */
export function coverReadOnly(home: string): void {
  execFileSync('mount', ['--bind', home, home]);
  execFileSync('mount', ['-o', 'remount,ro,bind', home]);
}

export function uncover(home: string): void {
  execFileSync('umount', ['--lazy', home]);
}

function writeUntilFull(file: number, chunk: Buffer): void {
  try {
    for (;;) writeSync(file, chunk);
  } catch (thrown) {
    if (!(thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOSPC')) throw thrown;
  }
}
