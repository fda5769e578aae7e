import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { openInterfaces, type OpenInterfaces } from './open-interfaces.ts';
import { initialize, modern, postMcp, stdioMessages, type Message } from './raw-mcp.ts';

let interfaces: OpenInterfaces;
beforeAll(async () => {
  interfaces = await openInterfaces();
  for (const name of ['sony', 'papi']) await idleAgent(askAs(interfaces.fleet.fleet), name, { task: 'x' });
});
afterAll(() => interfaces[Symbol.asyncDispose]());

type Body = Record<string, unknown>;

async function restPost(path: string, body: string) {
  const response = await fetch(`${interfaces.served.url}/api/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${interfaces.served.token}`, 'content-type': 'application/json' },
    body,
  });
  return { status: response.status, body: (await response.json()) as Body };
}

async function session(): Promise<Record<string, string>> {
  const { headers } = await postMcp(interfaces.served, initialize());
  return { 'mcp-session-id': headers.get('mcp-session-id') ?? '' };
}

const callOf = (name: unknown, args: unknown, meta: object = {}): Message => ({
  id: 7,
  method: 'tools/call',
  params: { name, arguments: args, ...meta },
});
const { _meta } = modern('x').params as { _meta: object };

/** Requests by MCP, by each way that they can come, and their answers in order. */
const WAYS: Readonly<Record<string, (requests: readonly Message[]) => Promise<(Message | undefined)[]>>> = {
  'stdio, old era': (requests) => byStdio(requests, [initialize()]),
  'stdio, new era': (requests) => byStdio(requests.map(withMeta)),
  'HTTP, old era': async (requests) => {
    const headers = await session();
    return Promise.all(
      requests.map(async (each) => (await postMcp(interfaces.served, each, headers)).message),
    );
  },
  'HTTP, new era': (requests) =>
    Promise.all(requests.map(async (each) => (await postMcp(interfaces.served, withMeta(each))).message)),
};

const withMeta = ({ params, ...rest }: Message): Message => ({ ...rest, params: { ...params, _meta } });

/** All by one process, which takes most of the time. */
async function byStdio(requests: readonly Message[], first: readonly Message[] = []) {
  const numbered = requests.map((each, index) => ({ ...each, id: 100 + index }));
  const { messages } = await stdioMessages(interfaces.fleet.env, [...first, ...numbered]);
  return numbered.map(({ id }) => messages.find((each) => each.id === id));
}

describe.each(Object.entries(WAYS))('by MCP: %s', (_way, send) => {
  it('null for the arguments means none, and null for an optional input that it was left out [OP-null-left-out]', async () => {
    const nulls = { status_filter: null, project_filter: null, pull_request_filter: null, page: null };
    const unset = { agent_name: 'sony', key: 'fleet_mcp_note', value: null };
    const [none, optional, required, removed] = await send([
      callOf('list_agents', null),
      callOf('list_agents', nulls),
      callOf('show_agent', { agent_name: null }),
      callOf('set_agent_metadata', unset),
    ]);
    const listed = { structuredContent: { total_count: 2 } };
    expect(none?.result).toMatchObject(listed);
    expect(optional?.result).toMatchObject(listed);
    // A required input cannot be left out, and null removes a value.
    expect(required?.result).toMatchObject({
      _meta: {
        'fleet-mcp/error': {
          message: 'The input "agent_name" of show_agent is not valid: must be a string; got null.',
        },
      },
    });
    expect(removed?.result).toMatchObject({ structuredContent: { value: null } });
  });

  it('agent_names is a list or a text with commas [OP-agent-names]', async () => {
    const inputs = [['sony', 'Papi'], 'sony, Papi', []];
    const [list, text, empty] = await send(
      inputs.map((agent_names) => callOf('wait_for_agents', { agent_names })),
    );
    for (const answer of [list, text])
      expect(answer?.result).toMatchObject({
        structuredContent: { agents: [{ name: 'papi' }, { name: 'sony' }], timed_out: false },
      });
    expect(empty?.result).toMatchObject({
      _meta: {
        'fleet-mcp/error': {
          message: expect.stringContaining('is not valid: at least one name is needed; got') as string,
          details: { field: 'agent_names' },
        },
      },
    });
  });

  it('malformed parameters are -32602 with one sentence [MCP-malformed-params]', async () => {
    const requests: readonly Message[] = [
      callOf('list_agents', [1]),
      callOf('list_agents', 'all'),
      callOf(5, {}),
      { id: 7, method: 'tools/call', params: {} },
      { id: 7, method: 'tools/list', params: { cursor: 5 } },
      { id: 7, method: 'resources/read', params: { uri: 5 } },
      { id: 7, method: 'prompts/get', params: { name: ['a'] } },
      { id: 7, method: 'completion/complete', params: { ref: 'x' } },
    ];
    const answers = await send(requests);
    expect(answers).toHaveLength(requests.length);
    for (const [index, answer] of answers.entries()) {
      expect(answer?.error, JSON.stringify(requests[index])).toMatchObject({ code: -32602 });
      expect(answer?.error?.message).toMatch(/^[^\n{]{20,200}\.$/);
    }
  });

  it('JSON that is nested too deep is INVALID_INPUT [ERR-too-deep]', async () => {
    let deep: unknown = 'x';
    for (let level = 0; level < 2_000; level++) deep = [deep];
    const [answer] = await send([callOf('list_agents', { project_filter: deep })]);
    expect(answer?.result).toMatchObject({
      isError: true,
      _meta: { 'fleet-mcp/error': { code: 'INVALID_INPUT', details: { reason: 'too_deep' } } },
    });
  });
});

describe('by REST and the command line', () => {
  it('null for an optional input, and for the whole body, means that it was left out', async () => {
    const created = JSON.stringify({ project: 'Setup', task: 'x', name: 'rest', role: null, spec: null });
    expect((await restPost('/agents', created)).status).toBe(201);
    expect((await restPost('/agents/rest/restart', 'null')).status).toBe(200);
    expect((await restPost('/agents/rest/restart', '{"agent_name": null}')).status).toBe(200);
    expect(await restPost('/agents', '{"project": null, "task": "x"}')).toMatchObject({
      status: 400,
      body: { error: { details: { field: 'project' } } },
    });
    for (const input of ['null', '{"status_filter": null}']) {
      const { code, stderr } = await runFleet(['call', 'list_agents', input], { env: interfaces.fleet.env });
      expect(code, stderr).toBe(0);
    }
  });

  it('agent_names is a list or a text with commas, in a query a parameter that is repeated too', async () => {
    for (const query of ['agent_names=sony,papi', 'agent_names=sony&agent_names=papi']) {
      const { body } = await interfaces.served.request('GET', `/api/v1/wait?${query}`);
      expect(body).toMatchObject({ agents: [{ name: 'papi' }, { name: 'sony' }] });
    }
    const input = '{"agent_names": ["sony", "papi"]}';
    const { stdout } = await runFleet(['call', 'wait_for_agents', input], { env: interfaces.fleet.env });
    expect(JSON.parse(stdout)).toMatchObject({ agents: [{ name: 'papi' }, { name: 'sony' }] });
    expect((await interfaces.served.request('GET', '/api/v1/agents?page=1&page=2')).status).toBe(400);
  });

  it('JSON that is nested 200,000 levels deep is INVALID_INPUT', async () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    const refused = { code: 'INVALID_INPUT', details: { reason: 'too_deep' } };
    expect(await restPost('/agents', `{"project": ${deep}}`)).toMatchObject({
      status: 400,
      body: { error: refused },
    });
    const raw = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"list_agents","arguments":{"page":${deep}}}}`;
    const { message } = await postMcp(interfaces.served, raw, await session());
    expect(message.result).toMatchObject({ _meta: { 'fleet-mcp/error': refused } });
  });
});

describe('parameters that are not an object', () => {
  it.each(['"x"', '[1]', 'null', '5'])('%s is -32602 with one sentence', async (params) => {
    const raw = `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":${params}}`;
    const refused = {
      code: -32602,
      message: expect.stringMatching(/^The parameters of tools\/list [^\n]+\.$/),
    };
    const { messages } = await stdioMessages(interfaces.fleet.env, [
      initialize(),
      raw,
      { id: 8, method: 'ping' },
    ]);
    expect(messages.find(({ id }) => id === 7)?.error).toMatchObject(refused);
    expect(messages.find(({ id }) => id === 8)?.result).toEqual({});
    expect((await postMcp(interfaces.served, raw, await session())).message).toMatchObject({
      id: 7,
      error: refused,
    });
  });
});
