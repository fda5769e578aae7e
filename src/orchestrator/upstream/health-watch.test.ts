import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryChannel } from '../../../test/support/fleets/memory-channel.ts';
import { LIMITS } from '../servers/mcp-connection.ts';
import { HealthWatch } from './health-watch.ts';

let channel: MemoryChannel;
let lost: string[];
let isBusy: boolean;
let watch: HealthWatch;
beforeEach(() => {
  vi.useFakeTimers();
  channel = new MemoryChannel();
  lost = [];
  isBusy = false;
  watch = new HealthWatch({
    limits: LIMITS,
    isBusy: () => isBusy,
    onLost: (_connection, reason) => lost.push(reason),
  });
  watch.begin(channel.connect());
});
afterEach(() => void vi.useRealTimers());

const pings = () => channel.sent.filter(({ method }) => method === 'ping');
const answer = (outcome: object = { result: {} }): void =>
  channel.say({ id: pings().at(-1)?.['id'], ...outcome });

it('an idle server is asked every 5 s, and an error is an answer too', async () => {
  for (const outcome of [{ result: {} }, { error: { code: -32_601, message: 'unknown' } }, { result: {} }]) {
    const before = pings().length;
    await vi.advanceTimersByTimeAsync(LIMITS.check_ms);
    expect(pings().length).toBe(before + 1);
    answer(outcome);
    await vi.advanceTimersByTimeAsync(0);
    expect(watch.passed).toBe(new Date().toISOString());
  }
  expect(lost).toEqual([]);
});

it('one that does not answer is lost within 10 s [ORCH-lost-noticed]', async () => {
  await vi.advanceTimersByTimeAsync(8_999);
  expect(lost).toEqual([]);
  await vi.advanceTimersByTimeAsync(1);
  expect(lost).toEqual(['it does not answer: no response for 4000 ms']);
  expect(watch.passed).toBeUndefined();
});

it('one that works is left alone, also when its work began after it was asked', async () => {
  isBusy = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(pings()).toEqual([]);
  isBusy = false;
  await vi.advanceTimersByTimeAsync(LIMITS.check_ms);
  expect(pings()).toHaveLength(1);
  isBusy = true;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(lost).toEqual([]);
});

it('nothing is asked of a connection that has ended', async () => {
  watch.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(channel.sent).toEqual([]);
});
