import { setTimeout as delay } from 'node:timers/promises';
import { WriteWatch } from '../../../platform/database/write-watch.ts';
import type { ShortWait } from '../../backend.ts';

const POLL_MS = 500;
/** Between a write and the look at it: a runner writes in several steps, and many writes are one change. */
const SETTLE_MS = 20;

/** Waits until something that is read from a journal is another than it was, at most for a time; what it is then. */
export async function waitForJournal(
  journal: string,
  known: string | undefined,
  { look, timeout_ms, signal }: ShortWait & { look(): string },
): Promise<string> {
  using writes = new WriteWatch(journal);
  const until = performance.now() + timeout_ms;
  for (;;) {
    const now = look();
    const left = until - performance.now();
    if (now !== known || left <= 0) return now;
    await writes.next(Math.min(POLL_MS, left), signal);
    await delay(SETTLE_MS, undefined, { signal });
  }
}
