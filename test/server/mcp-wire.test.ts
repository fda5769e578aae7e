import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentsOf, askAs, type Ask } from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import { openInterfaces, type OpenInterfaces } from './open-interfaces.ts';
import { initialize, modern, postMcp, stdioMessages, type Message } from './raw-mcp.ts';

const INITIALIZED = { method: 'notifications/initialized' };

/** What JSON-RPC allows on the wire, and nothing beside it. */
const id = z.union([z.string(), z.number(), z.null()]);
const message = z.union([
  z.strictObject({ jsonrpc: z.literal('2.0'), id, result: z.looseObject({}) }),
  z.strictObject({
    jsonrpc: z.literal('2.0'),
    id,
    error: z.strictObject({ code: z.int(), message: z.string().min(1), data: z.unknown().optional() }),
  }),
  z.strictObject({ jsonrpc: z.literal('2.0'), method: z.string(), params: z.looseObject({}).optional() }),
]);

let interfaces: OpenInterfaces;
let ask: Ask;
beforeAll(async () => {
  interfaces = await openInterfaces();
  ask = askAs(interfaces.fleet.fleet);
});
afterAll(() => interfaces[Symbol.asyncDispose]());

const call = (callId: number, name: unknown, args: unknown = {}): Message => ({
  id: callId,
  method: 'tools/call',
  params: { name, arguments: args, _meta: { progressToken: callId } },
});

describe('fleet mcp', () => {
  it('writes nothing but protocol on stdout, whatever comes and whatever it starts [MCP-stdout-clean]', async () => {
    const task = script({ say: 'to stdout' }, { complain: 'to stderr' }, { exit: 1 });
    const env = { ...interfaces.fleet.env, FLEET_DEBUG: '1', NODE_OPTIONS: '--trace-warnings' };
    const { stdout, code } = await stdioMessages(env, [
      'hello',
      '{"jsonrpc": "2.0", "id": 99, "method":',
      '[1, 2]',
      '{"jsonrpc": "1.0"}',
      initialize(),
      INITIALIZED,
      call(2, 'create_agent', { project: 'Setup', task, name: 'noisy' }),
      call(3, 'create_agent', { project: 'Setup', task, name: 'noisy' }),
      call(4, 'wait_for_agents', { until: 'any_change', cursor: '0', timeout_seconds: 1 }),
      call(5, 'no_such_tool'),
      call(6, 'list_agents', { page: 'x' }),
      { id: 7, method: 'no/such/method' },
      { id: 8, method: 'resources/read', params: { uri: 'fleet://nothing' } },
    ]);
    expect(code).toBe(0);
    expect(stdout.endsWith('\n')).toBe(true);
    const lines = stdout.slice(0, -1).split('\n');
    for (const line of lines) expect(() => message.parse(JSON.parse(line)), line).not.toThrow();
    const answered = lines.flatMap((line) => (JSON.parse(line) as Message).id ?? []);
    expect(answered).toHaveLength(8);
    expect(new Set(answered)).toEqual(new Set([1, 2, 3, 4, 5, 6, 7, 8]));
  });

  it('outlives what is not a message, and does nothing for it', async () => {
    const before = await agentsOf(ask);
    const { messages, code } = await stdioMessages(interfaces.fleet.env, [
      '',
      'hello',
      '[]',
      '[1, 2]',
      'null',
      '{"jsonrpc": "1.0", "id": 1, "method": "tools/list"}',
      '{"id": 1, "method": "tools/list"}',
      '{"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/list"}',
      `{"jsonrpc": "2.0", "id": 1, "method": "${'x'.repeat(1_000_000)}`,
      initialize(),
      INITIALIZED,
      call(2, 'delete_agent', ['noisy']),
      call(3, 7),
      call(4, 'list_agents', 'all'),
      { id: 5, method: 'tools/call', params: {} },
      { id: 6, method: 'prompts/get', params: { name: 'no_prompt' } },
      call(7, 'list_agents'),
    ]);
    expect(code).toBe(0);
    const byId = new Map(messages.map((each) => [each.id, each]));
    for (const bad of [2, 3, 4, 5, 6]) {
      expect(byId.get(bad)?.error, String(bad)).toMatchObject({ code: -32602, message: expect.any(String) });
    }
    expect(byId.get(7)?.result).toMatchObject({ structuredContent: { total_count: before.length } });
    expect(await agentsOf(ask)).toHaveLength(before.length);
  });
});

describe('/mcp', () => {
  it('takes POST, and GET and DELETE of a session', async () => {
    for (const method of ['PUT', 'PATCH', 'OPTIONS']) {
      const response = await fetch(interfaces.served.mcp_url, {
        method,
        headers: { authorization: `Bearer ${interfaces.served.token}` },
      });
      expect(response.status, method).toBe(405);
    }
  });

  it('says what is wrong with a request, and does nothing for it', async () => {
    const before = await agentsOf(ask);
    const old = initialize();
    const answers: readonly (readonly [number, number, Message | string, Record<string, string>])[] = [
      [400, -32700, '{"jsonrpc":', {}],
      [400, -32700, '', {}],
      [400, -32600, '[]', {}],
      [415, -32000, old, { 'content-type': 'text/plain' }],
      [406, -32000, old, { accept: 'application/json' }],
      [400, -32000, { id: 1, method: 'tools/list' }, {}],
      [404, -32001, { id: 1, method: 'tools/list' }, { 'mcp-session-id': '../../etc' }],
      [404, -32601, modern('no/such/method'), {}],
      [400, -32020, modern('tools/call', 'list_agents'), { 'mcp-method': 'tools/list' }],
      [400, -32020, modern('tools/call', 'list_agents'), { 'mcp-name': 'delete_agent' }],
      // The last one: a connection on which a body was refused may end at any time.
      [413, -32000, { ...old, params: { x: 'x'.repeat(5_000_000) } }, {}],
    ];
    for (const [status, code, request, headers] of answers) {
      const answer = await postMcp(interfaces.served, request, headers);
      expect(answer.status, answer.text).toBe(status);
      expect(answer.message.error).toMatchObject({ code, message: expect.stringMatching(/\w{4}/) });
      expect(answer.text).not.toMatch(/\bat .*\.(ts|js|mjs):\d/);
    }
    expect(await agentsOf(ask)).toHaveLength(before.length);
  });
});
