import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { identify } from '../../platform/process-identity.ts';
import { Store } from '../../store/store.ts';
import { placesInQueue, storeAdmission } from './admission.ts';

let home: string;
let store: Store;
const never = new AbortController().signal;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'fleet-admission-'));
  store = new Store(home);
});
afterEach(() => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
});

describe('the turns to start', () => {
  it('are given in the order in which they were asked for, some at a time', async () => {
    const turns: string[] = [];
    const enter = (id: string) =>
      storeAdmission(store, id, 2)
        .enter(never)
        .then((turn) => {
          turns.push(id);
          return turn;
        });
    const waiting = ['a', 'b', 'c', 'd'].map(enter);
    const a = await waiting[0];
    await waiting[1];
    expect(turns).toEqual(['a', 'b']);
    expect([...placesInQueue(store)]).toEqual([
      ['c', 1],
      ['d', 2],
    ]);
    a?.[Symbol.dispose]();
    const c = await waiting[2];
    expect([...placesInQueue(store)]).toEqual([['d', 1]]);
    c?.[Symbol.dispose]();
    await waiting[3];
    expect(turns).toEqual(['a', 'b', 'c', 'd']);
    expect([...placesInQueue(store)]).toEqual([]);
  });

  it('are given up by one that stops waiting', async () => {
    const first = await storeAdmission(store, 'a', 1).enter(never);
    const stop = new AbortController();
    const second = storeAdmission(store, 'b', 1).enter(stop.signal);
    const third = storeAdmission(store, 'c', 1).enter(never);
    stop.abort();
    await expect(second).rejects.toMatchObject({ name: 'AbortError' });
    expect([...placesInQueue(store)]).toEqual([['c', 1]]);
    first[Symbol.dispose]();
    await third;
  });

  it('do not wait for a process that died with its turn', async () => {
    const child = spawn('sleep', ['1000']);
    await once(child, 'spawn');
    const holder = JSON.stringify(identify(child.pid ?? 0));
    store.run('INSERT INTO slots (workspace_id, holder, room) VALUES (?, ?, 1)', 'dead', holder);
    let entered = false;
    const turn = storeAdmission(store, 'b', 1)
      .enter(never)
      .then(() => (entered = true));
    expect([...placesInQueue(store)]).toEqual([['b', 1]]);
    expect(entered).toBe(false);
    child.kill('SIGKILL');
    await turn;
    expect(store.all('SELECT workspace_id FROM slots')).toEqual([{ workspace_id: 'b' }]);
  });
});
