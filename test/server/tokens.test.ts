import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { askAs, history, idleAgent, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { askByHttp } from './three-interfaces.ts';

const agent_name = 'sony';

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let served: ServedFleet;
let ask: Ask;
beforeAll(async () => {
  fleet = opened.use(localFleet());
  served = opened.use(await serveFleet(fleet.env));
  ask = askAs(fleet.fleet);
  await idleAgent(ask, agent_name);
});
afterAll(() => opened.disposeAsync());

async function makeToken(name: string, ...options: string[]): Promise<string> {
  const { code, stdout, stderr } = await runFleet(['token', 'create', name, ...options], { env: fleet.env });
  expect(code, stderr).toBe(0);
  return stdout.trim();
}

const statusWith = async (token: string): Promise<number> =>
  (await fetch(`${served.url}/api/v1/agents`, { headers: { authorization: `Bearer ${token}` } })).status;

/** Serves the same fleet with another's token: only the header differs. */
const withToken = (token: string): ServedFleet => ({
  ...served,
  request: async (method, path, body) => {
    const response = await fetch(served.url + path, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Record<string, unknown> };
  },
});

describe('a token', () => {
  it('gives its tasks the source that it was made with over REST, human unless said [OP-source-token]', async () => {
    const robot = await makeToken('robot', '--source', 'ai');
    const tokens = {
      'by default': served.token,
      'by a person': await makeToken('person'),
      'by a robot': robot,
      'by a person who said so': await makeToken('sayer', '--source', 'human'),
    };
    for (const [task_description, token] of Object.entries(tokens)) {
      await askByHttp(withToken(token))('start_agent_task', { agent_name, task_description });
      await waitIdle(ask, agent_name);
    }
    const sources = new Map((await history(ask, agent_name)).map((row) => [row['message'], row['source']]));
    expect(Object.keys(tokens).map((text) => sources.get(text))).toEqual(['human', 'human', 'ai', 'human']);
    const audit = fleet.opened.ledger
      .auditRows(20)
      .filter(({ operation }) => operation === 'start_agent_task');
    expect(audit.map(({ principal, door }) => `${principal} ${door}`).toReversed()).toEqual([
      'token:default http',
      'token:person http',
      'token:robot http',
      'token:sayer http',
    ]);
  });

  it('is an AI at /mcp, regardless of its holder, with its own scopes', async () => {
    const token = await makeToken('looker', '--scopes', 'read');
    await using client = await connectClient('SDK v2, modern era', { mcp_url: served.mcp_url, token });
    expect((await client.tools()).map(({ name }) => name)).not.toContain('create_agent');
    const refused = await client.call('set_agent_metadata', { agent_name, key: 'fleet_mcp_x', value: 'x' });
    expect(refused.text).toContain('FORBIDDEN');
    const both = await makeToken('both');
    await using operator = await connectClient('SDK v1', { mcp_url: served.mcp_url, token: both });
    await operator.ask('start_agent_task', { agent_name, task_description: 'by a client' });
    await waitIdle(ask, agent_name);
    expect((await history(ask, agent_name))[0]).toMatchObject({ message: 'by a client', source: 'ai' });
  });

  it('is good until it is revoked, and not disturbed by a damaged one', async () => {
    const token = await makeToken('brief');
    writeFileSync(join(fleet.home, 'tokens', 'damaged.json'), '{');
    expect(await statusWith(token)).toBe(200);
    expect((await runFleet(['token', 'revoke', 'brief'], { env: fleet.env })).code).toBe(0);
    expect(await statusWith(token)).toBe(401);
    expect(await statusWith(served.token)).toBe(200);
  });
});
