import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { MemoryChannel } from '../../../test/support/fleets/memory-channel.ts';
import { isLoud, UpstreamNews } from './upstream-news.ts';

const CHANGED = { method: 'notifications/tools/list_changed', params: {} };

let channel: MemoryChannel;
let news: UpstreamNews;
let read: PromiseWithResolvers<void>[];
let told: string[];
beforeEach(() => {
  vi.useFakeTimers();
  channel = new MemoryChannel();
  read = [];
  told = [];
  news = new UpstreamNews({
    refresh_ms: 200,
    refresh: () => {
      const reading = Promise.withResolvers<void>();
      read.push(reading);
      return reading.promise;
    },
    tell: ({ method }) => told.push(method),
  });
});
afterEach(() => void vi.useRealTimers());

const asked = (method: string) =>
  channel.sent.filter((message) => message['method'] === method).map(({ params }) => params);
const request = (method: string, params: object): boolean =>
  news.takes({ method, params: { ...params }, owner: 'test' });

it('lists are read at once, and then once for all that changes within 200 ms', async () => {
  news.begin(channel.connect());
  for (let count = 0; count < 10_000; count++) news.receive(CHANGED);
  expect(read).toHaveLength(1);
  read[0]?.resolve();
  await vi.advanceTimersByTimeAsync(199);
  expect(read).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(read).toHaveLength(2);
  read[1]?.resolve();
  await vi.advanceTimersByTimeAsync(10_000);
  expect(read).toHaveLength(2);
  expect(told).toEqual([]);
});

it('lists are never read twice at a time, however slow the server is', async () => {
  news.begin(channel.connect());
  news.receive(CHANGED);
  await vi.advanceTimersByTimeAsync(60_000);
  news.receive(CHANGED);
  expect(read).toHaveLength(1);
  read[0]?.resolve();
  await vi.advanceTimersByTimeAsync(0);
  expect(read).toHaveLength(2);
});

it('a change that came before the lists were read the first time is not missed', () => {
  news.receive(CHANGED);
  expect(read).toHaveLength(0);
  news.begin(channel.connect());
  expect(read).toHaveLength(1);
});

it('a resource is subscribed to for the first who follows it, and again on every new connection', () => {
  request('resources/subscribe', { uri: 'lab:a' });
  news.begin(channel.connect());
  request('resources/subscribe', { uri: 'lab:a' });
  expect(asked('resources/subscribe')).toEqual([{ uri: 'lab:a' }]);
  request('resources/unsubscribe', { uri: 'lab:a' });
  expect(asked('resources/unsubscribe')).toEqual([]);
  request('resources/unsubscribe', { uri: 'lab:a' });
  expect(asked('resources/unsubscribe')).toEqual([{ uri: 'lab:a' }]);
  news.end();
  news.begin(channel.connect());
  expect(asked('resources/subscribe')).toHaveLength(1);
});

it('what it says to everybody is passed on, and other requests are not taken', () => {
  news.receive({ method: 'notifications/message', params: {} });
  expect(told).toEqual(['notifications/message']);
  expect(request('tools/call', { name: 'work' })).toBe(false);
});

it('a message without a level is as important as any', () => {
  expect([
    isLoud({ level: 'debug' }, 'info'),
    isLoud({ level: 'error' }, 'info'),
    isLoud({}, 'error'),
  ]).toEqual([false, true, true]);
});
