import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Actor } from '../domain/principal.ts';
import { spoilTable } from '../../test/storage/damage.ts';
import { CallLedger } from './call-ledger.ts';
import { EventLog } from './event-log.ts';
import { Store } from './store.ts';

const BY: Actor = { principal: 'user:tester', door: 'cli' };
const AGENT = { name: 'sony', workspace_id: 'w1' };
let home: string;
let store: Store;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-store-'));
  store = new Store(home);
});
afterEach(() => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

describe('the store', () => {
  it('is new to the first that opens it and to no other', () => {
    expect(store.isNew).toBe(true);
    using again = new Store(home);
    expect(again.isNew).toBe(false);
  });

  it('with a damaged page is replaced, and the process that replaced it says so once', () => {
    using said = vi.spyOn(console, 'error').mockImplementation(() => {});
    using other = new Store(home);
    spoilTable(join(home, 'store.db'), 'agents');
    expect(store.all('SELECT * FROM agents')).toEqual([]);
    expect(other.all('SELECT * FROM agents')).toEqual([]);
    expect(said.mock.calls).toEqual([
      [expect.stringMatching(/the store was damaged: it is kept as .*store\.db\.damaged-/)],
    ]);
  });

  it('has another version after each change, whoever made it, and after one that was taken back', () => {
    using other = new Store(home);
    const seen = new Set([store.version(), store.version()]);
    expect(seen.size).toBe(1);
    const insert = (of: Store, id: number) =>
      of.run('INSERT INTO looks VALUES (1, ?) ON CONFLICT DO UPDATE SET at = ?', id, id);
    insert(store, 1);
    seen.add(store.version());
    insert(other, 2);
    seen.add(store.version());
    const undone = (): never =>
      store.transaction(() => {
        insert(store, 3);
        seen.add(store.version());
        throw new Error('undone');
      });
    expect(undone).toThrow('undone');
    seen.add(store.version());
    expect(seen.size).toBe(5);
  });

  it('can be opened by many processes at once, and is made by one of them', async () => {
    const fresh = mkdtempSync(join(tmpdir(), 'fleet-store-'));
    const source = fileURLToPath(new URL('./store.ts', import.meta.url));
    const code = `const { Store } = await import(${JSON.stringify(source)});
      using store = new Store(${JSON.stringify(fresh)}); console.log(store.isNew);`;
    const outputs = await Promise.all(
      Array.from({ length: 4 }, async () => {
        const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
          stdio: ['ignore', 'pipe', 'inherit'],
        });
        const chunks: Buffer[] = [];
        child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
        await once(child, 'close');
        return Buffer.concat(chunks).toString().trim();
      }),
    );
    rmSync(fresh, { recursive: true });
    expect(outputs.toSorted()).toEqual(['false', 'false', 'false', 'true']);
  });

  it('is left alone when a newer Fleet has used it', () => {
    const database = new DatabaseSync(join(home, 'store.db'));
    database.exec('PRAGMA user_version = 99');
    database.close();
    expect(() => new Store(home)).toThrow(
      expect.objectContaining({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'newer_state' } }),
    );
  });

  it('takes all of a transaction or none', () => {
    const insert = (): unknown =>
      store.transaction(() => {
        store.run('INSERT INTO summaries (workspace_id, seq, state) VALUES (?, 1, ?)', 'a', '{}');
        throw new Error('no');
      });
    expect(insert).toThrow('no');
    expect(store.all('SELECT * FROM summaries')).toEqual([]);
  });

  it('wakes a waiting reader when another connection writes, and at the latest when time is up', async () => {
    using other = new Store(home);
    const woken = store.changed(60_000, new AbortController().signal);
    new EventLog(other).add(AGENT, [{ seq: 1, at: 'now', kind: 'report', data: {} }]);
    await woken;
    await store.changed(1, new AbortController().signal);
    const stop = new AbortController();
    const waiting = store.changed(60_000, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('a reader of a store that is told of writes', () => {
  const never = new AbortController().signal;

  it('wakes without a poll, for the writes of others and its own', async () => {
    using other = new Store(home);
    for (const [seq, writer] of [other, store].entries()) {
      const woken = store.changedSoon(60_000, never, 60_000);
      new EventLog(writer).add(AGENT, [{ seq, at: 'now', kind: 'report', data: {} }]);
      await woken;
    }
  });

  it('does not wake for other files, and ends when time is up or it is aborted', async () => {
    const stop = new AbortController();
    const waiting = store.changedSoon(60_000, stop.signal, 60_000);
    writeFileSync(join(home, 'other'), '');
    const first = await Promise.race([
      waiting,
      store.changedSoon(20, never, 60_000).then(() => 'time is up'),
    ]);
    expect(first).toBe('time is up');
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('the events of a store', () => {
  it('are there once however often they are added, in one order, after any cursor', () => {
    const events = new EventLog(store);
    expect(events.latest()).toBe('0');
    const change = (seq: number) => ({ seq, at: 'now', kind: 'report', data: { seq } }) as const;
    events.add(AGENT, [change(1), change(2)]);
    events.add({ name: 'papi', workspace_id: 'w2' }, [change(1)]);
    events.add(AGENT, [change(1), change(2), change(3)]);
    const all = events.since('0', 100);
    expect(all.map(({ agent_name, data }) => [agent_name, data['seq']])).toEqual([
      ['sony', 1],
      ['sony', 2],
      ['papi', 1],
      ['sony', 3],
    ]);
    expect(events.since(all[1]?.cursor ?? '', 1)).toEqual([all[2]]);
    expect(events.latest()).toBe(all.at(-1)?.cursor);
    expect(events.since(events.latest(), 100)).toEqual([]);
    expect([...events.agentsChangedSince(all[2]?.cursor ?? '')]).toEqual(['w1']);
  });
});

describe('the ledger of calls', () => {
  const call = { operation: 'create_agent', actor: BY, input: { task: 'x', project: 'Setup' }, key: 'k' };

  it('gives the first answer to a key, whatever the order of the inputs', () => {
    const ledger = new CallLedger(store);
    expect(ledger.answerTo(call)).toBeUndefined();
    expect(ledger.keepAnswer(call, { n: 1 })).toEqual({ n: 1 });
    expect(ledger.keepAnswer(call, { n: 2 })).toEqual({ n: 1 });
    expect(ledger.answerTo({ ...call, input: { project: 'Setup', task: 'x' } })).toEqual({ n: 1 });
  });

  it('holds a key to its input from the first moment, and apart by principal and operation', () => {
    const ledger = new CallLedger(store);
    ledger.answerTo(call);
    const other = { ...call, input: { task: 'y' } };
    expect(() => ledger.answerTo(other)).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
    expect(ledger.answerTo({ ...other, operation: 'start_agent_task' })).toBeUndefined();
    expect(ledger.answerTo({ ...other, actor: { ...BY, principal: 'mcp:stdio' } })).toBeUndefined();
  });

  it('records who asked for what through which interface, newest first, with long texts cut', () => {
    const ledger = new CallLedger(store);
    ledger.record({ ...call, outcome: 'ok' });
    ledger.record({ ...call, input: { task: 'x'.repeat(5000) }, outcome: 'CONFLICT' });
    const [last, first] = ledger.auditRows(10);
    expect(first).toMatchObject({
      principal: 'user:tester',
      door: 'cli',
      operation: 'create_agent',
      input: { task: 'x', project: 'Setup' },
      outcome: 'ok',
    });
    expect(last?.outcome).toBe('CONFLICT');
    expect(JSON.stringify(last?.input).length).toBeLessThan(600);
  });
});
