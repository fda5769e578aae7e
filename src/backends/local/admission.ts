import { setTimeout as delay } from 'node:timers/promises';
import { identify, isAlive, type ProcessIdentity } from '../../platform/process-identity.ts';
import type { Admission } from '../../runner/workspace.ts';
import type { Store } from '../../store/store.ts';

const POLL_MS = 50;

/** Turns to start, first come first served, over all processes of the fleet: a few agents start at the same time. */
export function storeAdmission(store: Store, workspaceId: string, room: number): Admission {
  const leave = (): void => {
    store.run('DELETE FROM slots WHERE workspace_id = ?', workspaceId);
  };
  return {
    enter: async (signal) => {
      store.run(
        'INSERT OR REPLACE INTO slots (workspace_id, holder, room) VALUES (?, ?, ?)',
        workspaceId,
        JSON.stringify(identify(process.pid)),
        room,
      );
      try {
        while (!isTurn(store, workspaceId, room)) await delay(POLL_MS, undefined, { signal });
      } catch (thrown) {
        leave();
        throw thrown;
      }
      return { [Symbol.dispose]: leave };
    },
  };
}

/** The places of those that wait, from 1. */
export function placesInQueue(store: Store): ReadonlyMap<string, number> {
  const rows = store.all('SELECT workspace_id, room FROM slots ORDER BY ticket');
  return new Map(
    rows.flatMap((row, index) => {
      const place = index + 1 - Number(row['room']);
      return place > 0 ? [[String(row['workspace_id']), place] as const] : [];
    }),
  );
}

function isTurn(store: Store, workspaceId: string, room: number): boolean {
  const rows = store.all('SELECT workspace_id, holder FROM slots ORDER BY ticket');
  const alive = rows.filter((row) => {
    if (isAlive(JSON.parse(String(row['holder'])) as ProcessIdentity)) return true;
    store.run(
      'DELETE FROM slots WHERE workspace_id = ? AND holder = ?',
      String(row['workspace_id']),
      String(row['holder']),
    );
    return false;
  });
  return alive.findIndex((row) => row['workspace_id'] === workspaceId) < room;
}
