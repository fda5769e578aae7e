import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FLEET, runFleet } from '../support/fleets/fleet-process.ts';
import { agentOf, agentsOf, failure, history, logOf } from '../support/fleets/fleet-under-test.ts';
import { sharedHome, unpack, type SharedHome } from './first-version.ts';

let shared: SharedHome;
beforeEach(() => {
  shared = sharedHome();
  unpack('home', shared.directory);
});
afterEach(() => shared[Symbol.asyncDispose]());

describe('a home of the first version', () => {
  it('is listed and read, and its journals stay as they lie', async () => {
    const before = hashes();
    expect(await agentsOf(shared.newer)).toMatchObject([
      { name: 'asleep', status: 'idle', status_reason: 'asleep; the next task wakes it' },
      { name: 'stopped', status: 'stopped', queue_length: 1, last_task: 'echo later' },
    ]);
    expect((await agentOf(shared.newer, 'stopped')).fleet_metadata).toMatchObject({
      fleet_mcp_colour: 'blue',
    });
    expect((await history(shared.newer, 'stopped')).map(({ message, state }) => [message, state])).toEqual([
      ['echo later', 'queued'],
      ['sleep 100', 'interrupted'],
      ['echo no; exit 3', 'failed'],
      ['half way', 'complete'],
      [expect.stringContaining('echo one'), 'complete'],
    ]);
    expect((await logOf(shared.newer, 'stopped')).map(({ message }) => message)).toEqual(
      expect.arrayContaining(['one', 'two', 'no']),
    );
    const after = hashes();
    const journals = Object.keys(before).filter((file) => file.endsWith('journal.db'));
    expect(journals).toHaveLength(2);
    for (const file of journals) expect(after[file]).toBe(before[file]);
    expect(Object.keys(after).filter((file) => file.includes('.v'))).toEqual(['store.db.v1.0']);
  });

  it('loses nothing of its store, and the copy is what it was', async () => {
    const store = join(shared.home, 'store.db');
    const before = contents(store);
    expect(before['events']?.length).toBeGreaterThan(20);
    await agentsOf(shared.newer);
    expect(contents(`${store}.v1.0`)).toEqual(before);
    const { schema, events = [], ...rest } = contents(store);
    expect(schema).toHaveLength(1);
    expect(events.map(({ moment, ...event }) => (moment === '' ? event : moment))).toEqual(before['events']);
    const { events: _, ...restBefore } = before;
    expect(rest).toMatchObject(restBefore);
  });

  it('is brought forward once when many come at the same time', async () => {
    const answers = await Promise.all(Array.from({ length: 5 }, () => agentsOf(shared.by(FLEET))));
    for (const agents of answers) expect(agents).toHaveLength(2);
    expect(readdirSync(shared.home).filter((name) => name.includes('.v'))).toEqual(['store.db.v1.0']);
    expect(contents(`${join(shared.home, 'store.db')}.v1.0`)['schema']).toBeUndefined();
  });

  it('migrates the journal of an agent when that agent is changed, and no other', async () => {
    const [asleep, stopped] = [shared.journalOf('asleep'), shared.journalOf('stopped')];
    const before = contents(asleep);
    await shared.newer('set_agent_metadata', { agent_name: 'asleep', key: 'fleet_mcp_a', value: 'b' });
    expect(contents(`${asleep}.v1.0`)).toEqual(before);
    expect(contents(asleep)['schema']).toHaveLength(1);
    expect(contents(asleep)['facts']).toEqual([...(before['facts'] ?? []), expect.anything()]);
    expect(contents(stopped)['schema']).toBeUndefined();
    expect(existsSync(`${stopped}.v1.0`)).toBe(false);
  });
});

describe('a home of a newer version', () => {
  it('is refused with a sentence and exit 7 by every command, and stays as it is', async () => {
    change(join(shared.home, 'store.db'), 'PRAGMA user_version = 2');
    const before = hashes();
    for (const words of [['list'], ['show', 'asleep'], ['restart', 'asleep'], ['delete', 'asleep']]) {
      const { code, stderr } = await runFleet(words, { env: shared.env });
      expect({ code, stderr }).toEqual({
        code: 7,
        stderr: expect.stringMatching(/^fleet: This fleet's store was written by a newer Fleet/) as string,
      });
    }
    expect(hashes()).toEqual(before);
  });

  it('is refused for the one agent whose journal it is, and stays as it is', async () => {
    const journal = shared.journalOf('stopped');
    change(journal, 'PRAGMA user_version = 2');
    await agentsOf(shared.newer);
    const before = hash(journal);
    const agent_name = 'stopped';
    for (const [operation, input] of [
      ['show_agent_task_history', {}],
      ['show_agent_log', {}],
      ['start_agent_task', { task_description: 'x' }],
      ['set_agent_metadata', { key: 'fleet_mcp_a', value: 'b' }],
      ['restart_agent', {}],
      ['delete_agent', { discard_work: true }],
    ] as const) {
      expect(await failure(shared.newer(operation, { agent_name, ...input }))).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        details: { reason: 'newer_state' },
        message: expect.stringContaining('Use that version or a newer one') as string,
      });
    }
    const { status, status_reason } = await agentOf(shared.newer, agent_name);
    expect([status, status_reason]).toEqual(['failed', expect.stringContaining('written by a newer Fleet')]);
    expect(hash(journal)).toBe(before);
    expect(await agentOf(shared.newer, 'asleep')).toMatchObject({ status: 'idle' });
    expect(await agentsOf(shared.newer)).toMatchObject([{ name: 'asleep' }, { status: 'stopped' }]);
  });
});

function change(file: string, sql: string): void {
  const database = new DatabaseSync(file);
  database.exec(sql);
  database.close();
}

/** Every table with its rows; tables of SQLite's own left out. */
function contents(file: string): Record<string, Record<string, unknown>[]> {
  const database = new DatabaseSync(file, { readOnly: true, timeout: 5000 });
  try {
    const tables = database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .all()
      .map(({ name }) => String(name));
    return Object.fromEntries(
      tables.map((name) => [name, database.prepare(`SELECT * FROM ${name} ORDER BY 1`).all()]),
    );
  } finally {
    database.close();
  }
}

/** What every file of the home is, but for those that SQLite keeps beside an open database and for compiled code. */
function hashes(): Record<string, string> {
  const files = readdirSync(shared.home, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-(?:wal|shm)$|^lease\.db$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(shared.home.length + 1))
    .filter((path) => !path.startsWith('cache'));
  return Object.fromEntries(files.map((path) => [path, hash(join(shared.home, path))]));
}

function hash(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}
