import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { LIMITS } from '../servers/mcp-connection.ts';
import { Backoff } from './backoff.ts';

let tries = 0;
let backoff: Backoff;
beforeEach(() => {
  vi.useFakeTimers();
  tries = 0;
  backoff = new Backoff(LIMITS, () => (tries += 1));
});
afterEach(() => void vi.useRealTimers());

it('a server that fails is tried again after a time that doubles, up to 30 s', () => {
  for (const most_ms of [250, 500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
    const before = tries;
    backoff.later();
    // A part of it is left to chance, so that servers are not all tried at once.
    vi.advanceTimersByTime(most_ms * 0.75 - 1);
    expect(tries).toBe(before);
    vi.advanceTimersByTime(most_ms * 0.25 + 1);
    expect(tries).toBe(before + 1);
  }
});

it('from its third failure on nobody waits for it, until it is tried again', () => {
  for (const waits of [false, false, true]) {
    backoff.later();
    expect(backoff.hopeless_ms !== undefined).toBe(waits);
  }
  expect(backoff.hopeless_ms).toBeLessThanOrEqual(1_000);
  vi.advanceTimersByTime(1_000);
  expect(backoff.hopeless_ms).toBeUndefined();
});

it('failures that are forgotten do not count, and a try that is stopped does not come', () => {
  for (let failure = 0; failure < 5; failure++) backoff.later();
  backoff.forget();
  expect(backoff.hopeless_ms).toBeUndefined();
  backoff.later();
  vi.advanceTimersByTime(250);
  expect(tries).toBe(1);
  backoff.later();
  backoff.stop();
  vi.advanceTimersByTime(60_000);
  expect(tries).toBe(1);
});
