import { readFileSync } from 'node:fs';
import type { Clock } from '../domain/clock.ts';

/** The id of this boot of the machine: times and processes of another boot mean nothing now. */
export const BOOT_ID = readBootId();

/** `hrtime` stands still while a Linux machine sleeps, and all processes of one boot share it. */
export const systemClock: Clock = {
  now: () => ({
    at: Date.now(),
    awake_ms: Number(process.hrtime.bigint() / 1_000_000n),
    boot: BOOT_ID,
  }),
};

function readBootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    // Without /proc, a boot is told by when it began, to the minute.
    return `up-${Math.round((Date.now() - Number(process.hrtime.bigint() / 1_000_000n)) / 60_000)}`;
  }
}
