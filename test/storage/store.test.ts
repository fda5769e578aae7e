import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect } from 'vitest';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentsOf,
  history,
  idleAgent,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { DAMAGES, removeAll, spoilTable } from './damage.ts';

let store: string;
let listed: unknown;

const it = fleetTest(() =>
  localFleet((config) => {
    config.projects['Sleepy'] = { ...config.projects['Setup'], sleep_after: '200ms' };
  }),
);
it.beforeAll(async ({ fleet, ask }) => {
  store = join(fleet.home, 'store.db');
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

const LOST: Record<string, () => void> = {
  ...Object.fromEntries(Object.entries(DAMAGES).map(([name, spoil]) => [name, () => spoil(store)])),
  'is gone': () => removeAll(store),
  'is gone, and its log is not': () => rmSync(store),
};

describe.each(Object.keys(LOST))('a store that %s', (name) => {
  const before = { kept: 0, cursor: '' };

  it('is rebuilt by a process that lives through it, with every agent', async ({ fleet, ask }) => {
    before.kept = keptStores(fleet).length;
    before.cursor = String((await ask('wait_for_agents', { timeout_seconds: 1 }))['cursor']);
    LOST[name]?.();
    expect(await agentsOf(ask)).toEqual(listed);
  });

  it('is kept beside the new one, unless nothing was there', ({ fleet }) => {
    expect(keptStores(fleet).length - before.kept).toBe(name.startsWith('is gone') ? 0 : 1);
  });

  it('is the same to a process that comes later, which has nothing to say of it', async ({ fleet }) => {
    const { stdout, stderr, code } = await runFleet(['call', 'list_agents'], { env: fleet.env });
    expect({ code, stderr, agents: (JSON.parse(stdout) as Answer)['agents'] }).toEqual({
      code: 0,
      stderr: '',
      agents: listed,
    });
  });

  it('has events after those that were seen before', async ({ fleet, ask }) => {
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
  it.for(['agents', 'summaries', 'events'])(
    'of its %s is replaced by the process that reads it first, which keeps what can be read of the rest',
    async (table, { fleet, ask }) => {
      const kept = keptStores(fleet).length;
      const audit = await auditOf(fleet);
      spoilTable(store, table);
      const { stdout, code } = await runFleet(
        ['call', 'wait_for_agents', '{"until": "any_change", "cursor": "1"}'],
        { env: fleet.env },
      );
      expect(code).toBe(0);
      expect(((JSON.parse(stdout) as Answer)['agents'] as Answer[]).map(({ name }) => name)).toEqual([
        'asleep',
        'awake',
      ]);
      expect(keptStores(fleet)).toHaveLength(kept + 1);
      expect(await agentsOf(ask)).toEqual(listed);
      expect(await auditOf(fleet)).toEqual(audit);
    },
  );
});

function keptStores(fleet: LocalFleet): string[] {
  return readdirSync(fleet.home).filter((name) => /^store\.db\.damaged-[^w]*Z$/.test(name));
}

async function auditOf(fleet: LocalFleet): Promise<unknown> {
  const { stdout } = await runFleet(['audit', '--json'], { env: fleet.env });
  return JSON.parse(stdout);
}
