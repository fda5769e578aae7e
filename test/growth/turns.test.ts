import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { identify } from '../../src/platform/processes/process-identity.ts';
import { agentOf, askAs, history, until, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

let fleet: LocalFleet;
let ask: Ask;

beforeAll(async () => {
  fleet = localFleet((config) => {
    // No machine has so much: while one starts, no other may.
    config['memory_reserve'] = '999999GB';
    for (const project of Object.values(config.projects)) project['sleep_after'] = '1s';
  });
  ask = askAs(fleet.fleet);
  const names = ['one', 'two', 'three'];
  await Promise.all(names.map((name) => ask('create_agent', { project: 'Setup', name, task: 'hello' })));
  await waitIdle(ask);
  await until(
    () => Promise.all(names.map((name) => agentOf(ask, name))),
    (agents) => agents.every(({ status_reason }) => status_reason.startsWith('asleep')),
  );
});
afterAll(() => fleet[Symbol.asyncDispose]());

const store = <Result>(work: (database: DatabaseSync) => Result): Result => {
  const database = new DatabaseSync(join(fleet.home, 'store.db'), { timeout: 10_000 });
  try {
    return work(database);
  } finally {
    database.close();
  }
};

/** While it lasts, this very process counts as an agent that starts. */
async function whileOneStarts(work: () => Promise<void>): Promise<void> {
  const holder = JSON.stringify({ ...identify(process.pid), admitted: true });
  store((database) =>
    database
      .prepare(`INSERT INTO slots (workspace_id, holder, room) VALUES ('somebody-else', ?, 4)`)
      .run(holder),
  );
  try {
    await work();
  } finally {
    store((database) => database.exec(`DELETE FROM slots WHERE workspace_id = 'somebody-else'`));
  }
}

const reasonOf = async (name: string): Promise<string> => (await agentOf(ask, name)).status_reason;
const WHY = 'free memory 0 MB of the 256 MB an agent needs';

describe.skipIf(process.platform !== 'linux')(
  'where there is no memory for two that start (needs Linux, which tells it)',
  () => {
    it('they start all the same, one after the other', async () => {
      for (const name of ['one', 'two', 'three'])
        expect((await history(ask, name)).map(({ state }) => state)).toEqual(['complete']);
    });

    it('a new one is pending with its place and why', async () => {
      await whileOneStarts(async () => {
        await ask('create_agent', { project: 'Setup', name: 'fresh', task: 'hello' });
        const reason = await until(
          () => reasonOf('fresh'),
          (text) => text.includes('free memory'),
        );
        expect(reason).toBe(`accepted, waiting for its turn to start; place 1 in the queue: ${WHY}`);
        expect((await agentOf(ask, 'fresh')).status).toBe('pending');
      });
      await waitIdle(ask, 'fresh');
    });

    it('those that are woken take turns too, are busy meanwhile, and do their tasks then', async () => {
      await whileOneStarts(async () => {
        for (const agent_name of ['one', 'two', 'three'])
          await ask('start_agent_task', { agent_name, task_description: 'again' });
        const reasons = await until(
          () => Promise.all(['one', 'two', 'three'].map(reasonOf)),
          (texts) => texts.every((text) => text.includes('free memory')),
        );
        expect(reasons).toEqual(
          [1, 2, 3].map(
            (place) => `1 queued, waiting for its turn to start; place ${place} in the queue: ${WHY}`,
          ),
        );
        expect((await agentOf(ask, 'one')).status).toBe('busy');
      });
      await waitIdle(ask, 'one', 'two', 'three');
      for (const name of ['one', 'two', 'three'])
        expect((await history(ask, name)).map(({ state }) => state)).toEqual(['complete', 'complete']);
    });
  },
);
