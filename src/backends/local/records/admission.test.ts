import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { identify } from '../../../platform/processes/process-identity.ts';
import { Store } from '../../../store/store.ts';
import { storeAdmission, waitingToStart } from './admission.ts';
import type { MachineCapacity } from '../../../domain/admission.ts';

let home: string;
let store: Store;
const never = new AbortController().signal;
const MEGABYTE = 1024 * 1024;
/** What the machine says, as the test wants it. */
let machine: MachineCapacity;
const admission = (id: string, room: number) =>
  storeAdmission(store, id, { room, memory_reserve: 256 * MEGABYTE, measure: () => machine });
const places = () => [...waitingToStart(store)].map(([id, { place }]) => [id, place]);
const whys = () => [...waitingToStart(store)].map(([id, { why }]) => [id, why]);
/** Looks until it holds; the cap is wide and only there so that a failure ends. */
const until = (holds: () => void) => vi.waitFor(holds, { timeout: 30_000, interval: 10 });

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-admission-'));
  store = new Store(home);
  machine = { memory: 64_000 * MEGABYTE, cpu: { kind: 'pressure', share: 0 } };
});
afterEach(() => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

describe('the turns to start', () => {
  it('are given in the order in which they were asked for, some at a time', async () => {
    const turns: string[] = [];
    const enter = (id: string) =>
      admission(id, 2)
        .enter(never, false)
        .then((turn) => {
          turns.push(id);
          return turn;
        });
    const waiting = ['a', 'b', 'c', 'd'].map(enter);
    const a = await waiting[0];
    await waiting[1];
    expect(turns).toEqual(['a', 'b']);
    expect(places()).toEqual([
      ['c', 1],
      ['d', 2],
    ]);
    a?.[Symbol.dispose]();
    const c = await waiting[2];
    expect(places()).toEqual([['d', 1]]);
    c?.[Symbol.dispose]();
    await waiting[3];
    expect(turns).toEqual(['a', 'b', 'c', 'd']);
    expect(places()).toEqual([]);
  });

  it('are given up by one that stops waiting', async () => {
    const first = await admission('a', 1).enter(never, false);
    const stop = new AbortController();
    const second = admission('b', 1).enter(stop.signal, false);
    const third = admission('c', 1).enter(never, false);
    stop.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    expect(places()).toEqual([['c', 1]]);
    first[Symbol.dispose]();
    await third;
  });

  it('do not wait for a process that died with its turn', async () => {
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const holder = JSON.stringify(identify(child.pid ?? 0));
    store.run('INSERT INTO slots (workspace_id, holder, room) VALUES (?, ?, 1)', 'dead', holder);
    let entered = false;
    const turn = admission('b', 1)
      .enter(never, false)
      .then(() => (entered = true));
    expect(places()).toEqual([['b', 1]]);
    expect(entered).toBe(false);
    child.kill('SIGKILL');
    await turn;
    expect(store.all('SELECT workspace_id FROM slots')).toEqual([{ workspace_id: 'b' }]);
  });

  it('are not held up by one that died in line', async () => {
    const first = await admission('a', 1).enter(never, false);
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const holder = JSON.stringify({ ...identify(child.pid ?? 0), admitted: false });
    store.run('INSERT INTO slots (workspace_id, holder, room) VALUES (?, ?, 1)', 'dead', holder);
    const last = admission('b', 1).enter(never, false);
    await until(() =>
      expect(places()).toEqual([
        ['dead', 1],
        ['b', 2],
      ]),
    );
    child.kill('SIGKILL');
    await until(() => expect(places()).toEqual([['b', 1]]));
    first[Symbol.dispose]();
    (await last)[Symbol.dispose]();
  });

  it('wait for memory, and say so, but one at a time is always let in', async () => {
    machine = { ...machine, memory: 692 * MEGABYTE };
    const first = await admission('a', 4).enter(never, false);
    const waiting = ['b', 'c'].map((id) => admission(id, 4).enter(never, false));
    const why = 'free memory 180 MB of the 256 MB an agent needs';
    await until(() =>
      expect(whys()).toEqual([
        ['b', why],
        ['c', why],
      ]),
    );
    machine = { ...machine, memory: 0 };
    first[Symbol.dispose]();
    const second = await waiting[0];
    expect(places()).toEqual([['c', 1]]);
    machine = { ...machine, memory: 4_000 * MEGABYTE };
    (await waiting[1])?.[Symbol.dispose]();
    second?.[Symbol.dispose]();
    expect(store.all('SELECT * FROM slots')).toEqual([]);
  });

  it('wait for the CPU, and say so', async () => {
    machine = { ...machine, cpu: { kind: 'pressure', share: 0.97 } };
    const first = await admission('a', 4).enter(never, false);
    const second = admission('b', 4).enter(never, false);
    await until(() => expect(whys()).toEqual([['b', 'the CPU is waited for 97 % of the time']]));
    machine = { ...machine, cpu: { kind: 'pressure', share: 0.3 } };
    await second;
    first[Symbol.dispose]();
  });

  it('of agents that only start do not wait for set-ups, which wait for each other', async () => {
    machine = { ...machine, cpu: { kind: 'pressure', share: 1 } };
    const running: string[] = [];
    const finish = new Map<string, () => void>();
    const setUp = async (id: string) => {
      using turn = await admission(id, 1).enter(never, true);
      await turn.setUp(() => {
        running.push(id);
        return new Promise<void>((resolve) => finish.set(id, resolve));
      });
    };
    const first = setUp('a');
    await until(() => expect(running).toEqual(['a']));
    const others = [setUp('b'), setUp('c')];
    for (const id of ['d', 'e']) (await admission(id, 1).enter(never, false))[Symbol.dispose]();
    expect(running).toEqual(['a']);
    expect(places()).toEqual([
      ['b', 1],
      ['c', 2],
    ]);
    finish.get('a')?.();
    await first;
    for (const id of ['b', 'c']) {
      await until(() => expect(running.at(-1)).toBe(id));
      finish.get(id)?.();
    }
    await Promise.all(others);
    expect(running).toEqual(['a', 'b', 'c']);
    expect(store.all('SELECT * FROM slots')).toEqual([]);
  });

  it('are given in the same order to two hundred that come at once, never more than their number', async () => {
    let inside = 0;
    let most = 0;
    const order: number[] = [];
    const numbers = Array.from({ length: 200 }, (_, index) => index);
    await Promise.all(
      numbers.map(async (index) => {
        using _turn = await admission(`agent-${index}`, 4).enter(never, false);
        order.push(index);
        most = Math.max(most, ++inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside--;
      }),
    );
    expect(order).toEqual(numbers);
    expect(most).toBeLessThanOrEqual(4);
  });

  it('are asked for again when the store was lost', async () => {
    const first = await admission('a', 1).enter(never, false);
    const second = admission('b', 1).enter(never, false);
    store.run('DELETE FROM slots');
    await second;
    first[Symbol.dispose]();
  });
});
