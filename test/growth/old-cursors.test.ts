import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readEvents } from '../server/event-reader.ts';
import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let served: ServedFleet;
let ask: Ask;
let oldest: number;

beforeAll(async () => {
  fleet = opened.use(localFleet());
  served = opened.use(await serveFleet(fleet.env));
  ask = askAs(fleet.fleet);
  await idleAgent(ask, 'sony');
  await idleAgent(ask, 'papi');
  // As a month would do it.
  const database = new DatabaseSync(join(fleet.home, 'store.db'));
  database.exec(`DELETE FROM events WHERE agent_name = 'sony'`);
  oldest = Number(database.prepare('SELECT min(cursor) AS oldest FROM events').get()?.['oldest']);
  database.close();
});
afterAll(() => opened.disposeAsync());

const listen = async (headers: Record<string, string>, query = ''): Promise<[number, unknown]> => {
  const response = await fetch(`${served.url}/events${query}`, {
    headers: { authorization: `Bearer ${served.token}`, ...headers },
  });
  return [response.status, await response.json()];
};

describe('a cursor after which events are gone', () => {
  it('is refused by /events with a reason, in the address and as the last one that was seen', async () => {
    const refused = {
      error: { code: 'INVALID_INPUT', details: { field: 'cursor', reason: 'cursor_expired' } },
    };
    expect(oldest).toBeGreaterThan(2);
    expect(await listen({}, '?cursor=1')).toMatchObject([400, refused]);
    expect(await listen({ 'last-event-id': String(oldest - 2) })).toMatchObject([400, refused]);
  });

  it('is not one that is ahead of the fleet, which is refused with the newest one', async () => {
    const latest = fleet.fleet.events?.latest();
    const ahead = {
      code: 'INVALID_INPUT',
      message: expect.stringContaining('is ahead of this fleet'),
      details: { field: 'cursor', reason: 'cursor_ahead', latest },
    };
    expect(await listen({ 'last-event-id': '999999999' })).toMatchObject([400, { error: ahead }]);
    expect(await listen({}, '?cursor=999999999')).toMatchObject([400, { error: ahead }]);
  });

  it('is not the one just before the oldest, nor 0, which is all that is kept', async () => {
    for (const query of ['0', String(oldest - 1)]) {
      await using reader = await readEvents(served, { query });
      const [first] = await reader.until((frames) => frames.length > 0);
      expect(first).toMatchObject({ id: String(oldest), data: { agent_name: 'papi' } });
    }
  });

  it('makes every agent count as changed for a wait, whose answer has a cursor to go on with', async () => {
    const wait = (cursor: string) =>
      ask('wait_for_agents', { until: 'any_change', cursor, timeout_seconds: 0 });
    const answer = await wait('1');
    expect(answer).toMatchObject({ timed_out: false, agents: [{ name: 'papi' }, { name: 'sony' }] });
    expect(await wait(String(oldest))).toMatchObject({ timed_out: false, agents: [{ name: 'papi' }] });
    expect(await wait(String(answer['cursor']))).toMatchObject({ timed_out: true });
  });
});
