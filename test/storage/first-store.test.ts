import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { canMount } from './small-disk.ts';

const SIZES = ['60k', '120k', '180k', '240k', '300k'];

describe.skipIf(!canMount)(
  'a disk too small for the first store (skipped unless a file system can be mounted)',
  () => {
    it.each(SIZES)('of %s is called full, and nothing is left that is not whole', async (size) => {
      const disk = mkdtempSync(join(tmpdir(), 'fleet-first-store-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', disk]);
      try {
        const home = join(disk, 'home');
        const env = { ...process.env, FLEET_HOME: home };
        const full = await runFleet(['list', '--json'], { env });
        expect(JSON.parse(full.stdout)).toMatchObject({ error: { details: { reason: 'disk_full' } } });
        expect(existsSync(join(home, 'store.db'))).toBe(false);
        execFileSync('mount', ['-o', 'remount,size=8m', disk]);
        const room = await runFleet(['list', '--json'], { env });
        expect([room.code, room.stderr]).toEqual([0, '']);
      } finally {
        execFileSync('umount', ['--lazy', disk]);
        rmSync(disk, { recursive: true, force: true });
      }
    });
  },
);
