import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { connectClient, type McpClient } from '../support/mcp-clients.ts';
import {
  MCP_CONNECTIONS,
  openInterfaces,
  type McpConnection,
  type OpenInterfaces,
} from './open-interfaces.ts';
import { initialize, modern, postMcp, stdioMessages } from './raw-mcp.ts';
import { WORK_LOOKS } from '../support/places/work-life.ts';

const CONTRACT = '1.1.0';
const READ_ONLY = [
  'list_agents',
  'show_agent',
  'list_agent_projects',
  'list_agent_roles',
  'show_agent_task_history',
  'show_agent_log',
  'show_agent_conversation',
  'show_agent_timeline',
  'show_doctor',
  'show_agent_diff',
  'show_agent_checks',
  'wait_for_agents',
  'list_approvals',
  'list_tool_agents',
  'list_kept',
  ...WORK_LOOKS,
];
const ON_REQUEST = [
  'show_agent_conversation',
  'show_agent_timeline',
  'list_review_comments',
  'add_review_comment',
  'remove_review_comment',
  'land_agent',
  'undo_land',
  'list_checkpoints',
  'show_agent_checks',
  'list_kept',
  'restore_agent',
  'show_doctor',
];
const DESTRUCTIVE = ['delete_agent', 'cancel_agent_task'];
/** Done twice, these have done what they did once. */
const REPEATABLE = [
  ...READ_ONLY,
  'delete_agent',
  'stop_agent',
  'set_agent_metadata',
  'acknowledge_agent',
  'restore_agent',
  'check_agent',
  'start_forecast',
  'remove_review_comment',
  'update_agent',
  'publish_agent',
];

let interfaces: OpenInterfaces;
beforeAll(async () => {
  interfaces = await openInterfaces((config) => {
    config['views'] = { kept: { servers: ['fleet'], tools: ['list_agents', 'list_kept'] } };
  });
});
afterAll(() => interfaces[Symbol.asyncDispose]());

const connections = (over: McpConnection['over'], era: McpClient['era']): McpConnection[] =>
  MCP_CONNECTIONS.filter(
    (connection) =>
      connection.over === over && (connection.kind === 'SDK v2, modern era') === (era === 'modern'),
  );

async function connectsListsAndCalls(connection: McpConnection, era: McpClient['era']): Promise<void> {
  const client = await interfaces.client(connection);
  expect(client.era).toBe(era);
  expect(client.server()).toMatchObject({ name: 'fleet-mcp', version: CONTRACT });
  expect(client.capabilities()).toMatchObject({ tools: {}, prompts: {}, completions: {}, resources: {} });
  expect((await client.tools()).map((tool) => tool.name)).toContain('create_agent');
  const { projects } = await client.ask('list_agent_projects');
  expect(projects).toMatchObject([{ name: 'Setup' }, { name: 'DataOne' }]);
}

describe('an MCP client', () => {
  it('of 2025-11-25 or earlier lists and calls tools on stdio [MCP-stdio-old-era]', async () => {
    for (const connection of connections('stdio', 'legacy'))
      await connectsListsAndCalls(connection, 'legacy');
    for (const protocolVersion of ['2025-11-25', '2025-06-18', '2024-11-05']) {
      const { messages } = await stdioMessages(interfaces.fleet.env, [
        initialize(protocolVersion),
        { method: 'notifications/initialized' },
        { id: 2, method: 'tools/list' },
        { id: 3, method: 'tools/call', params: { name: 'list_agents', arguments: {} } },
      ]);
      const results = new Map(messages.map(({ id, result }) => [id, result]));
      expect(results.get(1)).toMatchObject({ protocolVersion, serverInfo: { name: 'fleet-mcp' } });
      expect(results.get(2)).toMatchObject({ tools: expect.any(Array) });
      expect(results.get(3)).toMatchObject({ structuredContent: { agents: [], total_count: 0 } });
    }
  });

  it('of 2026-07-28 discovers, lists and calls tools on stdio [MCP-stdio-new-era]', async () => {
    for (const connection of connections('stdio', 'modern'))
      await connectsListsAndCalls(connection, 'modern');
  });

  it('of 2025-11-25 or earlier gets a session and calls tools at /mcp [MCP-http-old-era]', async () => {
    for (const connection of connections('HTTP', 'legacy')) await connectsListsAndCalls(connection, 'legacy');
    for (const protocolVersion of ['2025-11-25', '2025-03-26']) {
      const opened = await postMcp(interfaces.served, initialize(protocolVersion));
      const session = opened.headers.get('mcp-session-id') ?? '';
      expect(session).toMatch(/^[0-9a-f-]{36}$/);
      expect(opened.message.result).toMatchObject({ protocolVersion });
      const call = { id: 2, method: 'tools/call', params: { name: 'list_agents', arguments: {} } };
      const called = await postMcp(interfaces.served, call, { 'mcp-session-id': session });
      expect(called.message.result).toMatchObject({ structuredContent: { total_count: 0 } });
      expect((await postMcp(interfaces.served, call, { 'mcp-session-id': 'another' })).status).toBe(404);
    }
  });

  it('of 2026-07-28 calls tools at the same /mcp without a session [MCP-http-new-era]', async () => {
    for (const connection of connections('HTTP', 'modern')) await connectsListsAndCalls(connection, 'modern');
    const { message, headers, status } = await postMcp(
      interfaces.served,
      modern('tools/call', 'list_agents'),
    );
    expect(status).toBe(200);
    expect(headers.get('mcp-session-id')).toBeNull();
    expect(message.result).toMatchObject({ structuredContent: { agents: [], total_count: 0 } });
  });

  it('discovers versions, capabilities and who serves [MCP-discover]', async () => {
    const { message } = await postMcp(interfaces.served, modern('server/discover'));
    const { messages } = await stdioMessages(interfaces.fleet.env, [modern('server/discover')]);
    for (const { result } of [message, messages[0] ?? {}]) {
      expect(result).toMatchObject({
        supportedVersions: expect.arrayContaining(['2026-07-28']),
        capabilities: { tools: {}, resources: { subscribe: true }, prompts: {}, completions: {} },
        instructions: expect.stringContaining('create_agent'),
        _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'fleet-mcp', version: CONTRACT } },
      });
    }
  });

  it('learns the version of the contract, as fleet version does [T-version]', async () => {
    const { stdout } = await runFleet(['version', '--json'], { env: interfaces.fleet.env });
    expect(JSON.parse(stdout)).toMatchObject({ contract: CONTRACT });
    for (const connection of MCP_CONNECTIONS) {
      const client = await interfaces.client(connection);
      expect(client.server()?.version).toBe(CONTRACT);
    }
  });
});

describe('what a client is shown', () => {
  it('has instructions of at most 2 KB [MCP-instructions]', async () => {
    for (const connection of MCP_CONNECTIONS) {
      const client = await interfaces.client(connection);
      const instructions = client.instructions() ?? '';
      for (const word of ['create_agent', 'wait_for_agents', 'show_agent_log', 'list_approvals'])
        expect(instructions).toContain(word);
      expect(instructions).toMatch(/APPROVAL_REQUIRED.*call it again/);
      expect(instructions).toMatch(/When an agent is done: .*(branch|pull request)/);
      expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2048);
    }
  });

  it('has a list of tools of at most 26 kB, without those of kept work unless they are asked for [MCP-tool-list]', async () => {
    for (const connection of MCP_CONNECTIONS) {
      const client = await interfaces.client(connection);
      const tools = await client.tools();
      const inputs = tools.map((tool) => ({ ...tool, outputSchema: undefined }));
      expect(Buffer.byteLength(JSON.stringify(inputs))).toBeLessThanOrEqual(26_000);
      const names = (await (await interfaces.clientOfAll(connection)).tools()).map(({ name }) => name);
      expect(names.filter((name) => !tools.some((tool) => tool.name === name))).toEqual(ON_REQUEST);
      // Not listed, and answered.
      expect(await client.ask('list_kept')).toMatchObject({ kept: [] });
    }
    const client = await connectClient('SDK v2, modern era', {
      ...interfaces.served,
      mcp_url: `${interfaces.served.mcp_url}/kept`,
    });
    expect((await client.tools()).map(({ name }) => name)).toEqual(['list_agents', 'list_kept']);
    await client[Symbol.asyncDispose]();
  });

  it('refuses a choice of tools that there is not', async () => {
    const { code, stderr } = await runFleet(['mcp', '--tools', 'al'], { env: interfaces.fleet.env });
    expect([code, stderr]).toEqual([2, expect.stringContaining('"al" is not a choice of tools')]);
    expect(stderr).toContain('Did you mean "all"?');
    const answer = await fetch(`${interfaces.served.mcp_url}?tools=some`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${interfaces.served.token}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([
      400,
      { error: { code: 'INVALID_INPUT', details: { field: 'tools' } } },
    ]);
  });

  it('has a title and a description of every tool, and a description of each input [MCP-titles]', async () => {
    const client = await interfaces.client({ kind: 'SDK v2, modern era', over: 'stdio' });
    const tools = await client.tools();
    expect(tools.length).toBeGreaterThanOrEqual(15);
    for (const { name, title, description, inputSchema } of tools) {
      expect([title, description], name).toEqual([
        expect.stringMatching(/\w{3}/),
        expect.stringMatching(/\w{3} \w/),
      ]);
      const { properties } = inputShape.parse(inputSchema);
      for (const [input, schema] of Object.entries(properties)) {
        expect(schema['description'], `${name}.${input}`).toMatch(/\w{3}/);
      }
    }
    const inputs = tools.flatMap(({ inputSchema }) => Object.keys(inputShape.parse(inputSchema).properties));
    expect(inputs.length).toBeGreaterThan(30);
  });

  it('has hints that say what a tool does [MCP-annotations]', async () => {
    for (const connection of MCP_CONNECTIONS) {
      const client = await interfaces.clientOfAll(connection);
      const tools = await client.tools();
      expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining([...REPEATABLE, ...DESTRUCTIVE]));
      for (const { name, annotations } of tools) {
        expect(annotations, name).toMatchObject({
          readOnlyHint: READ_ONLY.includes(name),
          destructiveHint: DESTRUCTIVE.includes(name),
          idempotentHint: REPEATABLE.includes(name),
        });
      }
    }
  });
});

const inputShape = z.looseObject({ properties: z.record(z.string(), z.looseObject({})) });
