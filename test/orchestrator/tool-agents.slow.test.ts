import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { failure } from '../support/fleets/fleet-under-test.ts';
import { connectClient, answerOf, CLIENT_KINDS } from '../support/mcp-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

const MODULE = `export const tools = [{
  name: 'count', description: 'Counts letters', category: 'texts', examples: ['count "four"'],
  parameters: { type: 'object', properties: { text: { type: 'string' } } },
  run: ({ text }) => { if (text === undefined) throw new Error('no text'); return { letters: text.length }; },
}];`;

let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  fleet = fleetWith({ lab: upstream('malformed'), bad: upstream('quits'), calm: upstream('plain') });
  writeFileSync(join(fleet.directory, 'mine.mjs'), MODULE);
  writeFileSync(join(fleet.directory, 'broken.mjs'), 'export const tools = 7;');
  fleet.configure((config) => {
    config['tool_modules'] = { mine: './mine.mjs', broken: './broken.mjs' };
    config['views'] = { calm: { servers: ['calm', 'fleet'] } };
  });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

interface Listed {
  readonly tool_agents: readonly (Record<string, unknown> & {
    readonly id: string;
    readonly manifest: { readonly tools: readonly { readonly name: string }[] };
  })[];
}

const mcp = async () => {
  await using client = await connectClient('SDK v2, modern era', served);
  await client.call('calm__add', { a: 1, b: 2 });
  await client.call('calm__fail');
  await client.call('mine__count', { text: 'four' });
  await client.call('mine__count');
  return answerOf(await client.call('list_tool_agents'));
};
const rest = async () => (await served.request('GET', '/api/v1/tool-agents')).body;
const cli = async (...words: string[]) =>
  JSON.parse((await runFleet(words, { env: fleet.env })).stdout) as object;

describe('list_tool_agents', () => {
  it.each([
    ['MCP', mcp],
    ['REST', rest],
    ['fleet call', () => cli('call', 'list_tool_agents')],
    ['fleet tools', () => cli('tools', '--json')],
  ])(
    'shows every tool agent with manifest, health and capabilities: %s [OP-list-tool-agents]',
    async (_door, list) => {
      const { tool_agents } = (await list()) as Listed;
      const by = new Map(tool_agents.map((agent) => [agent.id, agent]));
      expect([...by.keys()].toSorted()).toEqual([
        'broken',
        'fleet',
        'mcp-bad',
        'mcp-calm',
        'mcp-lab',
        'mine',
      ]);
      expect(by.get('fleet')).toMatchObject({
        kind: 'registry',
        manifest: { capabilities: ['coding-agents'] },
      });
      expect(by.get('mine')).toMatchObject({
        name: 'mine',
        kind: 'registry',
        manifest: {
          id: 'mine',
          capabilities: ['module'],
          requires_approval: false,
          tools: [
            {
              name: 'mine__count',
              description: 'Counts letters',
              category: 'texts',
              examples: ['count "four"'],
              parameters: { type: 'object', properties: { text: { type: 'string' } } },
            },
          ],
        },
        health: { agent_id: 'mine', status: 'healthy', tool_count: 1 },
      });
      expect(by.get('broken')).toMatchObject({
        state: 'stopped',
        health: {
          status: 'unhealthy',
          message: expect.stringContaining('exports no array "tools"') as string,
        },
      });
      expect(by.get('mcp-lab')).toMatchObject({
        name: 'lab',
        kind: 'mcp',
        manifest: { capabilities: ['mcp'], tools: [{ name: 'lab__good' }] },
        health: { status: 'healthy', tool_count: 1 },
        left_out_tools: expect.arrayContaining([
          { name: 'no_schema', reason: 'it has no inputSchema' },
        ]) as unknown[],
      });
      expect(by.get('mcp-bad')).toMatchObject({
        health: { status: 'unhealthy', message: expect.stringContaining('no licence found') as string },
      });
      expect(by.get('mcp-calm')).toMatchObject({
        state: expect.stringMatching(/^(initialized|running)$/) as string,
        manifest: { requires_approval: true },
        left_out_tools: [],
      });
    },
  );

  it('counts calls, failures and how long calls take', async () => {
    const { tool_agents } = (await mcp()) as unknown as Listed;
    const counts = tool_agents.filter(({ id }) => ['mcp-calm', 'mine'].includes(id));
    expect(counts).toHaveLength(2);
    for (const { id, calls, errors, latency_ms, state } of counts) {
      expect([id, Number(calls) >= 2, Number(errors) * 2, state]).toEqual([id, true, calls, 'running']);
      expect(latency_ms).toBeGreaterThanOrEqual(0);
    }
  });

  it('shows a caller what its view shows', async () => {
    await using client = await connectClient('SDK v2, modern era', {
      env: fleet.env,
      args: ['--view', 'calm'],
    });
    const { tool_agents } = answerOf(await client.call('list_tool_agents')) as unknown as Listed;
    expect(tool_agents.map(({ id }) => id)).toEqual(['fleet', 'mcp-calm']);
  });
});

describe.each(CLIENT_KINDS)('a tool of a module that cannot be loaded: %s', (kind) => {
  it.each(['stdio', 'HTTP'])('fails with AGENT_INIT_FAILED and the reason over %s', async (over) => {
    await using client = await connectClient(kind, over === 'HTTP' ? served : { env: fleet.env });
    expect(await failure(client.ask('broken__x'))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('The tool module "broken"') as string,
      details: { reason: 'AGENT_INIT_FAILED', agent: 'broken' },
    });
  });

  it('is not there in a view that does not show the module', async () => {
    await using client = await connectClient(kind, { env: fleet.env, args: ['--view', 'calm'] });
    expect(await failure(client.ask('broken__x'))).toMatchObject({ details: { reason: 'TOOL_NOT_FOUND' } });
  });
});

describe('checks of health', () => {
  it('are made by a server that runs, and counted [METRICS-fields]', async () => {
    const read = async () => {
      const headers = { authorization: `Bearer ${served.token}` };
      return (await fetch(`${served.url}/metrics`, { headers })).text();
    };
    const counted = async (agent: string): Promise<number> =>
      Number(new RegExp(`fleet_tool_health_checks_total{agent="${agent}"} (\\d+)`).exec(await read())?.[1]);
    const before = await counted('mcp-calm');
    expect(before).toBeGreaterThan(0);
    await rest();
    expect(await counted('mcp-calm')).toBeGreaterThan(before);
    expect(await counted('mine')).toBeGreaterThan(0);
    expect(await counted('broken')).toBeGreaterThan(0);
  });
});
