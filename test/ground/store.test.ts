import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet } from '../support/fleet-process.ts';
import {
  agentsOf,
  askAs,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { DAMAGES, removeAll, spoilTable } from './damage.ts';

let fleet: LocalFleet;
let ask: Ask;
let store: string;
let listed: unknown;

beforeAll(async () => {
  fleet = localFleet((config) => {
    config.projects['Sleepy'] = { ...config.projects['Setup'], sleep_after: '200ms' };
  });
  store = join(fleet.home, 'store.db');
  ask = askAs(fleet.fleet);
  // Events were many, and are few in a store that is made anew.
  const events = new DatabaseSync(store);
  events.exec(`INSERT INTO sqlite_sequence (name, seq) VALUES ('events', 100000)`);
  events.close();
  await Promise.all([idleAgent(ask, 'awake'), idleAgent(ask, 'asleep', { project: 'Sleepy' })]);
  await until(
    () => agentsOf(ask),
    (agents) =>
      agents.every(({ git }) => git !== null) &&
      agents.some(({ status_reason }) => status_reason.startsWith('asleep')),
  );
  listed = await agentsOf(ask);
});
afterAll(() => fleet[Symbol.asyncDispose]());

const LOST: Record<string, () => void> = {
  ...Object.fromEntries(Object.entries(DAMAGES).map(([name, spoil]) => [name, () => spoil(store)])),
  'is gone': () => removeAll(store),
  'is gone, and its log is not': () => rmSync(store),
};

describe.each(Object.keys(LOST))('a store that %s', (name) => {
  const before = { kept: 0, cursor: '' };

  it('is made anew by a process that lives through it, with every agent', async () => {
    before.kept = keptStores().length;
    before.cursor = String((await ask('wait_for_agents', { timeout_seconds: 1 }))['cursor']);
    LOST[name]?.();
    expect(await agentsOf(ask)).toEqual(listed);
  });

  it('is kept beside the new one, unless nothing was there', () => {
    expect(keptStores().length - before.kept).toBe(name.startsWith('is gone') ? 0 : 1);
  });

  it('is the same to a process that comes later, which has nothing to say of it', async () => {
    const { stdout, stderr, code } = await runFleet(['call', 'list_agents'], { env: fleet.env });
    expect({ code, stderr, agents: (JSON.parse(stdout) as Answer)['agents'] }).toEqual({
      code: 0,
      stderr: '',
      agents: listed,
    });
  });

  it('has events after those that were seen before', async () => {
    await ask('start_agent_task', { agent_name: 'awake', task_description: `after it ${name}` });
    const { timed_out } = await ask('wait_for_agents', {
      until: 'any_change',
      cursor: before.cursor,
      timeout_seconds: 30,
    });
    expect(timed_out).toBe(false);
    await waitIdle(ask, 'awake');
    const later = fleet.fleet.events?.since(before.cursor, 100) ?? [];
    expect(later.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['task.accepted', 'task.ended']));
    expect((await history(ask, 'awake'))[0]).toMatchObject({
      message: `after it ${name}`,
      state: 'complete',
    });
    listed = await agentsOf(ask);
  });
});

describe('a store with a damaged page', () => {
  it.each(['agents', 'summaries', 'events'])(
    'of its %s is replaced by whoever reads it, says so, and keeps what can be read of the rest',
    async (table) => {
      const kept = keptStores().length;
      const audit = await auditOf();
      spoilTable(store, table);
      const { stdout, stderr, code } = await runFleet(
        ['call', 'wait_for_agents', '{"until": "any_change", "cursor": "1"}'],
        { env: fleet.env },
      );
      expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining('it is kept as') });
      expect(((JSON.parse(stdout) as Answer)['agents'] as Answer[]).map(({ name }) => name)).toEqual([
        'asleep',
        'awake',
      ]);
      expect(keptStores()).toHaveLength(kept + 1);
      expect(await agentsOf(ask)).toEqual(listed);
      expect(await auditOf()).toEqual(audit);
    },
  );
});

function keptStores(): string[] {
  return readdirSync(fleet.home).filter((name) => /^store\.db\.damaged-[^w]*Z$/.test(name));
}

async function auditOf(): Promise<unknown> {
  const { stdout } = await runFleet(['audit', '--json'], { env: fleet.env });
  return JSON.parse(stdout);
}
