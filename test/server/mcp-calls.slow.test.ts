import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { agentsOf, askAs, signalFile, type Answer } from '../support/fleets/fleet-under-test.ts';
import { forgeFor } from '../support/git-forge.ts';
import { workLife } from '../support/places/work-life.ts';
import { script } from '../support/script.ts';
import type { ToolResult } from '../support/mcp-clients.ts';
import {
  MCP_CONNECTIONS,
  openInterfaces,
  type McpConnection,
  type OpenInterfaces,
} from './open-interfaces.ts';

let interfaces: OpenInterfaces;
beforeAll(async () => {
  interfaces = await openInterfaces(undefined, forgeFor);
});
afterAll(() => interfaces[Symbol.asyncDispose]());

/** The life of an agent, by every tool there is outside of one. */
function lifeOf(agent_name: string): readonly (readonly [string, Answer | ((before: Answer) => Answer)])[] {
  const never = signalFile(interfaces.fleet, 'never');
  const pull_request_url = 'https://example.com/team/setup/pull/7';
  const key = 'fleet_mcp_note';
  return [
    ['list_agent_projects', {}],
    ['list_agent_roles', { project: 'Setup' }],
    [
      'create_agent',
      { project: 'setup', task: 'First', name: agent_name, pull_request_url, spec: 'checks: ["true"]' },
    ],
    ['wait_for_agents', { agent_names: agent_name, timeout_seconds: 0 }],
    ['wait_for_agents', { agent_names: agent_name, until: 'any_change', cursor: '0' }],
    ['start_agent_task', { agent_name, task_description: 'Next', when_busy: 'queue' }],
    ['wait_for_agents', { agent_names: agent_name }],
    ['set_agent_metadata', { agent_name, key, value: '„x“' }],
    ['set_agent_metadata', { agent_name, key, value: null }],
    ['start_agent_task', { agent_name, task_description: script({ complain: 'no' }, { exit: 3 }) }],
    ['wait_for_agents', { agent_names: agent_name, until: 'attention' }],
    ['acknowledge_agent', { agent_name }],
    ['start_agent_task', { agent_name, task_description: script({ hold: never }) }],
    ['list_agents', {}],
    ['list_approvals', { agent_name }],
    ['list_tool_agents', {}],
    ['list_agents', { status_filter: 'busy', page: 1, page_size: 1 }],
    ['show_agent', { agent_name }],
    ['cancel_agent_task', { agent_name }],
    ['show_agent_task_history', { agent_name }],
    ['show_agent_log', { agent_name, page_size: 100 }],
    ['show_agent_conversation', { agent_name }],
    ['show_agent_timeline', { agent_name }],
    ['show_doctor', {}],
    ['show_agent_diff', { agent_name }],
    ['check_agent', { agent_name }],
    ['show_agent_checks', { agent_name }],
    ['stop_agent', { agent_name }],
    ['show_agent', { agent_name }],
    ['restart_agent', { agent_name }],
    ['delete_agent', { agent_name }],
    ['list_kept', {}],
    ['restore_agent', ({ kept }) => ({ workspace_id: (kept as Answer[])[0]?.['workspace_id'] })],
    ['delete_agent', { agent_name }],
    ...workLife(`${agent_name}-w`),
  ];
}

/** One connection for each client: what the interfaces themselves do is the same whatever is called. */
const ONE_OF_EACH: readonly McpConnection[] = [
  { kind: 'SDK v1', over: 'stdio' },
  { kind: 'SDK v2, legacy era', over: 'HTTP' },
  { kind: 'SDK v2, modern era', over: 'HTTP' },
];

describe('an answer by MCP', () => {
  it.each(ONE_OF_EACH)(
    'is what the output schema says, and the same as text, unasked: $kind over $over [MCP-output-schema, MCP-text, MCP-no-questions]',
    async (connection) => {
      const client = await interfaces.clientOfAll(connection);
      const ajv = new Ajv2020({ strict: false, validateFormats: false });
      const tools = new Map((await client.tools()).map((tool) => [tool.name, tool]));
      const called = new Set<string>();
      let before: Answer = {};
      for (const [name, args] of lifeOf(`life-${ONE_OF_EACH.indexOf(connection)}`)) {
        const result = await client.call(name, typeof args === 'function' ? args(before) : args);
        before = JSON.parse(result.text) as Answer;
        expect(result.isError, `${name}: ${result.text}`).toBe(false);
        expect(JSON.parse(result.text), name).toEqual(result.structuredContent);
        const validate = ajv.compile(closed(tools.get(name)?.outputSchema));
        expect(validate(result.structuredContent), `${name}: ${ajv.errorsText(validate.errors)}`).toBe(true);
        called.add(name);
      }
      expect([...called].toSorted()).toEqual([...tools.keys()].toSorted());
      expect(client.questions).toEqual([]);
      expect(await agentsOf(client.ask)).toEqual([]);
    },
  );
});

describe('a failure by MCP', () => {
  it.each(MCP_CONNECTIONS)(
    'is a result with the error as text and beside it: $kind over $over [ERR-envelope, ERR-meta]',
    async (connection) => {
      const client = await interfaces.client(connection);
      // Clients that know the output schemas check what they get against them.
      await client.tools();
      const failures: readonly (readonly [string, Answer, Answer])[] = [
        ['show_agent', { agent_name: 'nobody' }, { code: 'NOT_FOUND', details: { field: 'agent_name' } }],
        ['show_agent', {}, { code: 'INVALID_INPUT', details: { field: 'agent_name' } }],
        ['list_agents', { page: 'one' }, { code: 'INVALID_INPUT', details: { field: 'page' } }],
        ['report_task', { message: 'x' }, { code: 'FORBIDDEN' }],
        ['create_agent', { project: 'Nowhere', task: 'x' }, { code: 'NOT_FOUND' }],
        ['delete_agent', { agent_name: '-rf' }, { code: 'INVALID_INPUT' }],
      ];
      for (const [name, args, error] of failures) {
        expect(errorOf(await client.call(name, args)), name).toMatchObject(error);
      }
    },
  );

  it('of a tool or an operation that is not there quotes its name [ERR-unknown-operation]', async () => {
    for (const name of ['show_agnet', '--help', '../list_agents', '', '\u001b[2J', 'x'.repeat(10_000)]) {
      const quoted = JSON.stringify(name).slice(1, 60);
      for (const connection of MCP_CONNECTIONS) {
        const error = errorOf(await (await interfaces.client(connection)).call(name, {}));
        expect(error.code).toBe('NOT_FOUND');
        expect(error.message).toContain(quoted.replace(/"$/, ''));
        expect(error.message.length).toBeLessThan(1_000);
      }
    }
    const { code, stdout } = await runFleet(['call', 'show_agnet', '{}'], { env: interfaces.fleet.env });
    expect(code).toBe(3);
    const { error } = errorSchema.parse(JSON.parse(stdout));
    expect(error.code).toBe('NOT_FOUND');
    expect(error.message).toContain('"show_agnet"');
    expect(error.message).toContain('show_agent');
  });

  it('of bad input has a sentence that quotes it, and changes nothing [ERR-field, ERR-malformed]', async () => {
    const clients = await Promise.all(MCP_CONNECTIONS.map((connection) => interfaces.client(connection)));
    const before = await stateOfFleet();
    for (const [name, args, field, quoted] of BAD_INPUTS) {
      for (const client of clients) {
        const error = errorOf(await client.call(name, args));
        expect(error, `${name} ${field}`).toMatchObject({ code: 'INVALID_INPUT', details: { field } });
        expect(error.message).toContain(quoted);
        expect(error.message.length).toBeLessThan(600);
        // oxlint-disable-next-line no-control-regex -- that is what it looks for
        expect(error.message).not.toMatch(/[\u0000-\u001f]/);
      }
    }
    expect(await stateOfFleet()).toEqual(before);
  });
});

const create = { project: 'Setup', task: 'x', name: 'ghost' };
const BAD_INPUTS: readonly (readonly [string, Answer, string, string])[] = [
  ['create_agent', { ...create, task: 7 }, 'task', '"7"'],
  ['create_agent', { ...create, task: ['a'] }, 'task', 'a'],
  ['create_agent', { ...create, project: null }, 'project', 'null'],
  ['create_agent', { ...create, task: 'a\0b' }, 'task', 'a\\u0000b'],
  ['create_agent', { ...create, task: 'x'.repeat(65_537) }, 'task', 'xxx'],
  ['create_agent', { ...create, name: '--force' }, 'name', '"--force"'],
  ['create_agent', { ...create, name: '../../etc' }, 'name', '"../../etc"'],
  ['create_agent', { ...create, name: 'a\u001b[2Jb' }, 'name', 'a\\u001b[2Jb'],
  ['create_agent', { ...create, name: 'x'.repeat(1_000_000) }, 'name', 'xxx'],
  ['create_agent', { ...create, project: '' }, 'project', '""'],
  ['create_agent', { ...create, pull_request_url: 'javascript:alert(1)' }, 'pull_request_url', 'javascript:'],
  ['create_agent', { ...create, tsak: 'x' }, 'tsak', '"tsak"'],
  ['create_agent', { ...create, constructor: 1 }, 'constructor', '"constructor"'],
  ['list_agents', { status_filter: 'sleepy' }, 'status_filter', '"sleepy"'],
  ['list_agents', { page: 1e300 }, 'page', '1e+300'],
  ['wait_for_agents', { timeout_seconds: 3601 }, 'timeout_seconds', '3601'],
  ['wait_for_agents', { cursor: '-1' }, 'cursor', '"-1"'],
  ['start_agent_task', { agent_name: 'x', task_description: 'x', when_busy: 'wait' }, 'when_busy', '"wait"'],
];

async function stateOfFleet(): Promise<unknown> {
  const { opened, fleet } = interfaces.fleet;
  return { agents: await agentsOf(askAs(fleet)), events: opened.fleet.events?.latest() };
}

/** A schema that allows no more than it names: what an answer has beside that would be undocumented. */
function closed(schema: object | undefined): object {
  return JSON.parse(JSON.stringify(schema ?? {}), (_, value: unknown) =>
    isObjectSchema(value) ? { ...value, additionalProperties: false } : value,
  ) as object;
}

function isObjectSchema(value: unknown): value is object {
  return typeof value === 'object' && value !== null && 'properties' in value && 'type' in value;
}

const errorSchema = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    details: z.looseObject({ field: z.string().optional() }),
  }),
});

function errorOf(result: ToolResult) {
  expect(result.isError).toBe(true);
  expect(result.structuredContent).toBeUndefined();
  const { error } = errorSchema.parse(JSON.parse(result.text));
  expect(result.meta['fleet-mcp/error']).toEqual(error);
  return error;
}
