import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Actor } from '../domain/principal.ts';
import { CallLedger } from './call-ledger.ts';
import { EventLog } from './event-log.ts';
import { pruneCalls, pruneEvents, rowsBeyondLimits, STORE_LIMITS } from './store-upkeep.ts';
import { Store } from './store.ts';

const BY: Actor = { principal: 'user:tester', door: 'cli' };
const DAY_MS = 86_400_000;
let home: string;
let store: Store;
let events: EventLog;
let seq = 0;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-upkeep-'));
  store = new Store(home);
  events = new EventLog(store);
});
afterEach(() => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

const ago = (ms: number): string => new Date(Date.now() - ms).toISOString();

function tell(count: number, at = ago(0)): void {
  const changes = Array.from(
    { length: count },
    () => ({ seq: ++seq, at, kind: 'report', data: { text: 'x' } }) as const,
  );
  store.transaction(() => events.add({ name: 'sony', workspace_id: 'w1' }, changes));
}

function countOf(table: string): number {
  return Number(store.get(`SELECT count(*) AS count FROM ${table}`)?.['count']);
}

describe('the events of a store', () => {
  it('are kept up to a number, the newest, while they are published', () => {
    tell(STORE_LIMITS.events.count + 3_000);
    expect(countOf('events')).toBeLessThanOrEqual(STORE_LIMITS.events.count + 500);
    expect(countOf('events')).toBeGreaterThanOrEqual(STORE_LIMITS.events.count);
    expect(events.latest()).toBe(String(STORE_LIMITS.events.count + 3_000));
  });

  it('are kept up to an age, but for the last thousand', () => {
    tell(2_000, ago(STORE_LIMITS.events.age_ms + DAY_MS));
    pruneEvents(store, Date.now());
    expect(countOf('events')).toBe(1_000);
    tell(1_400);
    pruneEvents(store, Date.now());
    expect(countOf('events')).toBe(1_400);
  });

  it('are counted, and not by their cursors, which jump when the store is rebuilt', () => {
    tell(10);
    // One before the next hundred-thousand: the next event makes the store look at what is too much.
    events.startAfter(1_700_000_000_000 - 1);
    tell(1);
    expect(events.latest()).toBe('1700000000000');
    expect(countOf('events')).toBe(11);
  });

  it('cover a cursor as long as none after it is gone, and none that was never given', () => {
    expect(events.covers('0')).toBe(true);
    tell(1_600, ago(STORE_LIMITS.events.age_ms + DAY_MS));
    pruneEvents(store, Date.now());
    const oldest = Number(events.since('0', 1)[0]?.cursor);
    expect(oldest).toBeGreaterThan(1);
    expect(
      [0, oldest - 2, oldest - 1, oldest, 1_600, 1_601].map((each) => events.covers(String(each))),
    ).toEqual([false, false, true, true, true, false]);
  });
});

describe('the calls of a store', () => {
  const record = (count: number): void => {
    const ledger = new CallLedger(store);
    const call = { operation: 'create_agent', actor: BY, input: { task: 'x' } };
    for (let index = 0; index < count; index++) ledger.record({ ...call, outcome: 'ok' });
  };

  it('are kept up to an age while more are made', () => {
    record(499);
    store.run('UPDATE audit SET at = ? WHERE id <= 300', ago(STORE_LIMITS.audit.age_ms + DAY_MS));
    record(1);
    expect(countOf('audit')).toBe(200);
  });

  it('are forgotten by their key after some days, and not before', () => {
    const ledger = new CallLedger(store);
    const call = (key: string) => ({ operation: 'create_agent', actor: BY, input: { task: 'x' }, key });
    for (const key of ['old', 'young']) {
      ledger.answerTo(call(key));
      ledger.keepAnswer(call(key), { key });
    }
    const when = (age_ms: number, key: string): unknown =>
      store.run('UPDATE answers SET at = ? WHERE key = ?', ago(age_ms), key);
    when(STORE_LIMITS.answers.age_ms + DAY_MS, 'old');
    when(STORE_LIMITS.answers.age_ms - DAY_MS, 'young');
    pruneCalls(store, Date.now());
    expect(ledger.answerTo(call('young'))).toEqual({ key: 'young' });
    expect(ledger.answerTo(call('old'))).toBeUndefined();
  });

  it('and events beyond the limits are counted before they go', () => {
    tell(1_500, ago(STORE_LIMITS.events.age_ms + DAY_MS));
    store.run('UPDATE events SET at = ?', ago(STORE_LIMITS.events.age_ms + DAY_MS));
    record(10);
    store.run('UPDATE audit SET at = ? WHERE id <= 4', ago(STORE_LIMITS.audit.age_ms + DAY_MS));
    const beyond = rowsBeyondLimits(store, Date.now());
    expect(beyond).toEqual({ events: countOf('events') - 1_000, audit: 4, answers: 0 });
    pruneEvents(store, Date.now());
    pruneCalls(store, Date.now());
    expect(rowsBeyondLimits(store, Date.now())).toEqual({ events: 0, audit: 0, answers: 0 });
  });
});

it('a write-ahead log that grew is given back once it was checkpointed', () => {
  const wal = join(home, 'store.db-wal');
  store.transaction(() => {
    for (let index = 0; index < 3_000; index++)
      store.run(
        'INSERT INTO audit (at, principal, door, operation, input, outcome) VALUES (?, ?, ?, ?, ?, ?)',
        'x',
        'x',
        'x',
        'x',
        'y'.repeat(5_000),
        'x',
      );
  });
  expect(statSync(wal).size).toBeGreaterThan(10 * 1024 * 1024);
  tell(1);
  tell(1);
  expect(statSync(wal).size).toBeLessThanOrEqual(4 * 1024 * 1024);
});
