import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Backend } from '../../src/backends/backend.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { startServer } from '../../src/server/serve.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { askAs, idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { CLIENT_KINDS, connectClient } from '../support/mcp-clients.ts';
import { initialize, stdioMessages } from './raw-mcp.ts';
import { startServe } from './serve-process.ts';

const SECRET = 'hunter2';
/** Neither what broke, nor where. */
const LEAK = new RegExp(`${SECRET}|SELECT|node:|\\bat [^ ]+ ?\\(|\\.(ts|js|mjs|db)\\b`);

const LOOKS: Readonly<Record<string, Answer>> = {
  list_agents: {},
  show_agent: { agent_name: 'sony' },
  create_agent: { project: 'Setup', task: 'x' },
  show_agent_task_history: { agent_name: 'sony' },
  show_agent_log: { agent_name: 'sony' },
};

describe('a fleet whose store is damaged', () => {
  let fleet: LocalFleet;
  beforeEach(async () => {
    fleet = localFleet();
    await idleAgent(askAs(fleet.fleet), 'sony');
    // Every look at the agents now fails in the database, with a text that names the secret.
    using store = new DatabaseSync(join(fleet.home, 'store.db'), { timeout: 10_000 });
    store.exec(`ALTER TABLE agents RENAME TO elsewhere; CREATE VIEW agents AS SELECT * FROM ${SECRET}`);
  });
  afterEach(async () => {
    using store = new DatabaseSync(join(fleet.home, 'store.db'), { timeout: 10_000 });
    store.exec('DROP VIEW agents; ALTER TABLE elsewhere RENAME TO agents');
    await fleet[Symbol.asyncDispose]();
  });

  it('says INTERNAL_ERROR by every interface and keeps the rest to itself [ERR-internal]', async () => {
    await using served = await startServe(fleet.env, '--port', '0');
    const overHttp = await served.send({ path: '/api/v1/agents' });
    expect(overHttp).toMatchObject({ status: 500, body: { error: { code: 'INTERNAL_ERROR' } } });
    const { messages } = await stdioMessages(fleet.env, [
      initialize(),
      { method: 'notifications/initialized' },
      ...Object.entries(LOOKS).map(([name, args], index) => ({
        id: 10 + index,
        method: 'tools/call',
        params: { name, arguments: args },
      })),
      { id: 50, method: 'resources/read', params: { uri: 'fleet://agents' } },
    ]);
    const answers = messages.filter(({ id }) => Number(id) >= 10);
    expect(answers).toHaveLength(Object.keys(LOOKS).length + 1);
    for (const answer of answers) expect(JSON.stringify(answer)).toContain('INTERNAL_ERROR');
    const called = await runFleet(['call', 'list_agents'], { env: fleet.env });
    expect(called.code).toBe(1);
    expect(JSON.parse(called.stdout)).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
    const typed = await runFleet(['list'], { env: fleet.env });
    expect(typed).toMatchObject({ code: 1, stdout: '' });
    for (const said of [JSON.stringify(overHttp), JSON.stringify(answers), called.stdout, typed.stderr]) {
      expect(said).not.toMatch(LEAK);
    }
    // Whoever runs the server finds it where the server writes.
    const written = expect.poll(() => served.stderr(), { timeout: 30_000 });
    await written.toMatch(new RegExp(`internal error in GET /api/v1/agents: .*${SECRET}`));
  });
});

describe('a stream of events that breaks', () => {
  it('ends, and says nothing of why', async () => {
    await using fleet = localFleet();
    await using served = await startServe(fleet.env, '--port', '0');
    const headers = { authorization: `Bearer ${served.token}` };
    const stream = await fetch(`${served.url}/events`, { headers });
    using store = new DatabaseSync(join(fleet.home, 'store.db'), { timeout: 10_000 });
    store.exec(`DROP TABLE events; CREATE VIEW events AS SELECT 1 AS cursor, ${SECRET} FROM elsewhere`);
    const text = await stream.text();
    expect(text).toMatch(/^: events after \d+\n\n$/);
    await expect.poll(() => served.stderr(), { timeout: 30_000 }).toContain('internal error in /events');
  });
});

describe('a backend that breaks', () => {
  it('makes every look and every creation an INTERNAL_ERROR [T-internal-error]', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    const fleet = new Fleet({ backends: [brokenBackend()], clock: systemClock });
    const authenticator = new Authenticator({ token: 'good' });
    const server = await startServer({ fleet, authenticator, version: '1.2.3' });
    onTestFinished(() => server.close());
    const calls = { ...LOOKS, list_agent_projects: {}, list_agent_roles: { project: 'Setup' } };
    for (const kind of CLIENT_KINDS) {
      await using client = await connectClient(kind, { mcp_url: server.mcp_url, token: 'good' });
      for (const [name, args] of Object.entries(calls)) {
        const result = await client.call(name, args);
        expect(result.isError, name).toBe(true);
        expect(JSON.parse(result.text), name).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
        expect(JSON.stringify(result)).not.toMatch(LEAK);
      }
    }
    expect(log.mock.calls.join('')).toContain(SECRET);
  });
});

function brokenBackend(): Backend {
  return new Proxy({} as Backend, {
    get: (_, key) => {
      if (key === 'name') return 'broken';
      return () => {
        throw new TypeError(`cannot read properties of undefined (reading '${SECRET}')`);
      };
    },
  });
}
