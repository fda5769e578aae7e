import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import {
  connectClient,
  type ClientKind,
  type Door,
  type TestClient,
  type ToolResult,
} from './mcp-clients.ts';

/** What one MCP door must do, for every client; the fleet behind it has the idle "sony" and "papi", busy for ever. */
export interface DoorUnderTest {
  readonly name: 'stdio' | 'http';
  readonly door: () => Door;
}

const errorSchema = z.object({
  error: z.object({ code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) }),
});

export function describeDoor({ name, door }: DoorUnderTest, kind: ClientKind): void {
  const era = kind === 'sdk 2, new era' ? 'new' : 'old';
  let client: TestClient;
  beforeAll(async () => {
    client = await connectClient(kind, door());
  });
  afterAll(() => client[Symbol.asyncDispose]());

  test(`connects, lists and calls tools [MCP-${name}-${era}-era${era === 'new' ? ', MCP-discover' : ''}]`, async () => {
    expect(client.era).toBe(era === 'new' ? 'modern' : 'legacy');
    expect(client.server()).toMatchObject({ name: 'fleet-mcp', version: '1.2.3' });
    expect(client.capabilities()).toMatchObject({
      tools: {},
      prompts: {},
      completions: {},
      resources: { subscribe: true },
    });
    const names = (await client.tools()).map((tool) => tool.name);
    expect(names).toContain('create_agent');
    expect(names).toEqual((await client.tools()).map((tool) => tool.name));
    const shown = await client.call('show_agent', { agent_name: 'SONY' });
    expect(shown.structuredContent).toMatchObject({ agent: { name: 'sony', status: 'idle' } });
  });

  test('has instructions of at most 2 KB [MCP-instructions]', async () => {
    const instructions = client.instructions() ?? '';
    expect(instructions).toContain('wait_for_agents');
    expect(Buffer.byteLength(instructions)).toBeLessThanOrEqual(2048);
  });

  test('describes its tools, their inputs and what they do [MCP-titles, MCP-annotations]', async () => {
    for (const tool of await client.tools()) {
      expect(tool.title, tool.name).toMatch(/\S/);
      expect(tool.description, tool.name).toMatch(/\S/);
      expect(tool.inputSchema).toMatchObject({ type: 'object', additionalProperties: false });
      const { properties } = z
        .looseObject({ properties: z.record(z.string(), z.looseObject({})) })
        .parse(tool.inputSchema);
      for (const [input, schema] of Object.entries(properties)) {
        expect(schema['description'], `${tool.name}.${input}`).toMatch(/\S/);
      }
      expect(tool.annotations).toMatchObject({
        title: tool.title,
        readOnlyHint: /^(list|show|wait)_/.test(tool.name),
        destructiveHint: ['delete_agent', 'cancel_agent_task'].includes(tool.name),
        idempotentHint: expect.any(Boolean),
        openWorldHint: false,
      });
    }
  });

  test('answers what its output schemas say, and the same as text [MCP-output-schema, MCP-text, MCP-no-questions]', async () => {
    const name = `new-${slug(kind)}`;
    const calls: readonly [string, Record<string, unknown>][] = [
      ['list_agent_projects', {}],
      ['list_agent_roles', { project: 'Setup' }],
      ['create_agent', { project: 'setup', task: 'Say hello', name }],
      ['set_agent_metadata', { agent_name: name, key: 'fleet_mcp_note', value: 'x' }],
      ['start_agent_task', { agent_name: name, task_description: 'Again' }],
      ['list_agents', {}],
      ['show_agent', { agent_name: name }],
      ['show_agent_task_history', { agent_name: name }],
      ['show_agent_log', { agent_name: name }],
      ['wait_for_agents', { agent_names: 'sony' }],
      ['acknowledge_agent', { agent_name: name }],
      ['stop_agent', { agent_name: name }],
      ['restart_agent', { agent_name: name }],
      ['delete_agent', { agent_name: name }],
    ];
    const ajv = new Ajv2020({ strict: false, validateFormats: false });
    const tools = new Map((await client.tools()).map((tool) => [tool.name, tool]));
    for (const [tool, args] of calls) {
      const result = await client.call(tool, args);
      expect(result.isError, result.text).toBe(false);
      expect(JSON.parse(result.text)).toEqual(result.structuredContent);
      const validate = ajv.compile(tools.get(tool)?.outputSchema ?? false);
      expect(validate(result.structuredContent), `${tool}: ${ajv.errorsText(validate.errors)}`).toBe(true);
    }
  });

  test('tells failures in the envelope, also of tools that are not there [ERR-envelope, ERR-meta, ERR-unknown-operation]', async () => {
    expect(errorOf(await client.call('show_agent', { agent_name: 'nobody' }))).toMatchObject({
      code: 'NOT_FOUND',
      details: { field: 'agent_name' },
    });
    expect(errorOf(await client.call('show_agent', { agent: 'sony' }))).toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: expect.any(String) },
    });
    expect(errorOf(await client.call('list_agents', { page: 'one' }))).toMatchObject({
      code: 'INVALID_INPUT',
    });
    expect(errorOf(await client.call('show_agnet', {})).message).toContain('"show_agnet"');
    expect(errorOf(await client.call('show_agnet', {})).code).toBe('NOT_FOUND');
    expect(errorOf(await client.call('report_task', { message: 'x' })).code).toBe('FORBIDDEN');
  });

  test('sends progress, and a canceled call ends [MCP-progress, MCP-cancellation]', async () => {
    const stop = new AbortController();
    const seen: number[] = [];
    const waiting = client.call(
      'wait_for_agents',
      { agent_names: 'papi', timeout_seconds: 3600 },
      {
        signal: stop.signal,
        onprogress: ({ progress, message }) => {
          seen.push(progress);
          expect(message).toContain('papi');
          stop.abort();
        },
      },
    );
    await expect(waiting).rejects.toThrow();
    expect(seen).toEqual([1]);
    const after = await client.call('show_agent', { agent_name: 'papi' });
    expect(after.structuredContent).toMatchObject({
      agent: { status: 'busy', current_task: 'a long task' },
    });
  });

  test('delivers the last progress before the result [MCP-progress]', async () => {
    for (let round = 0; round < 20; round++) {
      const agent_name = `brief-${slug(kind)}`;
      await client.call('create_agent', { project: 'Setup', task: 'Nothing', name: agent_name });
      const seen: (string | undefined)[] = [];
      await client.call(
        'delete_agent',
        { agent_name },
        { onprogress: ({ message }) => void seen.push(message) },
      );
      expect(seen).toEqual(['removing the workspace']);
    }
  });

  test('has resources [MCP-resources]', async () => {
    expect(await client.resources()).toEqual([
      'fleet://agents',
      'fleet://agents/{name}',
      'fleet://agents/{name}/log',
    ]);
    expect(await client.read('fleet://agents')).toMatchObject({
      agents: expect.any(Array),
      total_count: expect.any(Number),
    });
    expect(await client.read('fleet://agents/sony')).toMatchObject({ agent: { name: 'sony' } });
    expect(await client.read('fleet://agents/sony/log')).toMatchObject({
      agent_name: 'sony',
      logs: [],
      page_size: 100,
    });
    for (const uri of [
      'fleet://agents/nobody',
      'fleet://agents/%',
      'fleet://elsewhere',
      'fleet://agents/a/b',
    ]) {
      await expect(client.read(uri)).rejects.toMatchObject({ code: -32602, data: { uri } });
    }
  });

  const updates = era === 'new' ? 'MCP-subscriptions-listen' : 'MCP-resource-updates';
  test(`tells subscribers of changes [${updates}]`, async () => {
    const told = Promise.withResolvers<string>();
    await client.subscribe('fleet://agents/sony', told.resolve);
    await client.call('acknowledge_agent', { agent_name: 'papi' });
    await client.call('acknowledge_agent', { agent_name: 'sony' });
    expect(await told.promise).toBe('fleet://agents/sony');
  });

  test('completes the names of agents, projects and roles [MCP-completions]', async () => {
    const resource = { type: 'ref/resource', uri: 'fleet://agents/{name}' } as const;
    const delegate = { type: 'ref/prompt', name: 'delegate_spec' } as const;
    expect(await client.complete({ ref: resource, argument: { name: 'name', value: 'SO' } })).toEqual([
      'sony',
    ]);
    expect(await client.complete({ ref: delegate, argument: { name: 'project', value: 's' } })).toEqual([
      'Setup',
      'Site',
    ]);
    const context = { arguments: { project: 'setup' } };
    expect(await client.complete({ ref: delegate, argument: { name: 'role', value: '' }, context })).toEqual([
      'coder',
      'operator',
    ]);
    expect(await client.complete({ ref: delegate, argument: { name: 'role', value: 'w' } })).toEqual([
      'writer',
    ]);
    expect(await client.complete({ ref: delegate, argument: { name: 'spec', value: '' } })).toEqual([]);
  });

  test('has prompts [MCP-prompts]', async () => {
    expect(await client.prompts()).toEqual(['delegate_spec', 'review_fleet', 'unblock_agent']);
    expect(await client.prompt('delegate_spec', { project: 'Setup', spec: 'All is well.' })).toMatch(
      /Setup[^]*All is well\./,
    );
    expect(await client.prompt('review_fleet', {})).toContain('list_agents');
    expect(await client.prompt('unblock_agent', { agent_name: 'sony' })).toContain('sony');
    await expect(client.prompt('unblock_agent', {})).rejects.toThrow('agent_name');
    await expect(client.prompt('no_prompt', {})).rejects.toThrow('no_prompt');
  });
}

function errorOf(result: ToolResult) {
  expect(result.isError).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  const { error } = errorSchema.parse(JSON.parse(result.text));
  expect(result.meta['fleet-mcp/error']).toEqual(error);
  return error;
}

function slug(kind: ClientKind): string {
  return kind.replaceAll(/[^a-z0-9]+/g, '-');
}
