import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { OPERATIONS } from '../../src/operations/table.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import {
  agentsOf,
  askAs,
  failure,
  checkedAgent,
  signalFile,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { forgeFor } from '../support/git-forge.ts';
import { workLife } from '../support/places/work-life.ts';
import { script } from '../support/script.ts';
import { openInterfaces, type OpenInterfaces } from './open-interfaces.ts';
import { askByCall, askByHttp } from './three-interfaces.ts';
import { withoutAsOf } from '../support/without-as-of.ts';

const NAMES = OPERATIONS.map(({ name }) => name).toSorted();

let interfaces: OpenInterfaces;
let asks: Readonly<Record<'MCP' | 'HTTP' | 'CLI', Ask>>;
beforeAll(async () => {
  interfaces = await openInterfaces(undefined, forgeFor);
  const client = await interfaces.clientOfAll({ kind: 'SDK v2, modern era', over: 'stdio' });
  asks = { MCP: client.ask, HTTP: askByHttp(interfaces.served), CLI: askByCall(interfaces.fleet.env) };
  await checkedAgent(askAs(interfaces.fleet.fleet), 'rest', { task: 'say it' });
});
afterAll(() => interfaces[Symbol.asyncDispose]());

const command = async (...words: string[]): Promise<Answer> =>
  JSON.parse((await runFleet([...words, '--json'], { env: interfaces.fleet.env })).stdout) as Answer;

/** Agents of a first try that failed. */
async function deleteOthers(): Promise<void> {
  const ask = askAs(interfaces.fleet.fleet);
  for (const { name } of await agentsOf(ask))
    if (name !== 'rest') await ask('delete_agent', { agent_name: name, discard_work: true });
}

/** What is asked of an agent, one after the other; each waits for what the one before has begun. */
function changes(agent_name: string): readonly (readonly [string, Answer | ((before: Answer) => Answer)])[] {
  const wait = ['wait_for_agents', { agent_names: agent_name }] as const;
  const task_description = script({ hold: signalFile(interfaces.fleet, 'never') });
  return [
    ['create_agent', { project: 'Setup', task: 'x', name: agent_name, spec: 'checks: ["true"]' }],
    ['check_agent', { agent_name }],
    wait,
    ['set_agent_metadata', { agent_name, key: 'fleet_mcp_note', value: 'v' }],
    ['start_agent_task', { agent_name, task_description }],
    ['cancel_agent_task', { agent_name }],
    ['acknowledge_agent', { agent_name }],
    ['stop_agent', { agent_name }],
    ['restart_agent', { agent_name }],
    wait,
    ['delete_agent', { agent_name }],
    ['restore_agent', ({ workspace_id }) => ({ workspace_id })],
    ['delete_agent', { agent_name, discard_work: true }],
    ...workLife(`${agent_name}-w`),
  ];
}

/** What git says of a branch may not be there yet, and what others landed meanwhile decides how a landing is undone. */
const UNSTEADY = ['wait_for_agents', 'land_agents'];

describe('the table of operations', () => {
  it('is offered by every interface with the same inputs [OP-one-table]', async () => {
    const client = await interfaces.clientOfAll({ kind: 'SDK v2, modern era', over: 'stdio' });
    const tools = new Map((await client.tools()).map((tool) => [tool.name, inputsOf(tool.inputSchema)]));
    const { operations } = callList.parse(await command('call'));
    const routes = await openApiInputs();
    expect(operations.map(({ name }) => name).toSorted()).toEqual(NAMES);
    expect([...routes.keys()].toSorted()).toEqual(NAMES);
    // What is for an agent alone is a tool inside of it, and answering takes a right that has to be asked for.
    const access = ['list_browser_sessions', 'end_browser_session', 'list_tokens', 'revoke_token'];
    const approving = ['respond_approval', ...access];
    expect([...tools.keys(), 'report_task', ...approving].toSorted()).toEqual(NAMES);
    for (const { name, inputs } of operations) {
      const taken = inputs.map((input) => input.replace(/\?$/, '')).toSorted();
      expect(routes.get(name), name).toEqual(taken);
      if (tools.has(name)) expect(tools.get(name), name).toEqual(taken);
    }
  });

  it('answers the same looks at every interface, and by the friendly commands [OP-one-table]', async () => {
    const agent_name = 'rest';
    const looks: readonly (readonly [string, Answer, string[]])[] = [
      ['list_agents', { project_filter: 'setup' }, ['list', '--project', 'setup']],
      ['show_agent', { agent_name }, ['show', agent_name]],
      ['list_agent_projects', {}, ['projects']],
      ['list_agent_roles', { project: 'Setup' }, ['roles', 'Setup']],
      ['show_agent_task_history', { agent_name, page_size: 5 }, ['history', agent_name, '--page-size', '5']],
      ['show_agent_log', { agent_name, page_size: 5 }, ['log', agent_name, '--page-size', '5']],
      ['show_agent_diff', { agent_name, format: 'patch', max_bytes: 1_000_000 }, ['diff', agent_name]],
      ['show_agent_checks', { agent_name }, ['check', agent_name]],
      ['wait_for_agents', { agent_names: agent_name }, ['wait', agent_name]],
      ['list_approvals', { agent_name }, ['approvals', agent_name]],
      ['list_kept', {}, ['kept']],
      [
        'show_agent_conversation',
        { agent_name },
        ['call', 'show_agent_conversation', `{"agent_name":"${agent_name}"}`],
      ],
    ];
    for (const [operation, input, words] of looks) {
      const first = withoutAsOf(await asks.MCP(operation, input));
      expect(await asks.HTTP(operation, input), operation).toMatchObject(first);
      expect(await asks.CLI(operation, input), operation).toMatchObject(first);
      expect(await command(...words), operation).toMatchObject(first);
    }
  });

  it('makes the same changes at every interface [OP-one-table]', async () => {
    await deleteOthers();
    const trial = randomUUID().slice(0, 4);
    const shapes = new Map<string, Set<string>>();
    await Promise.all(
      Object.entries(asks).map(async ([through, ask]) => {
        let answer: Answer = {};
        for (const [operation, input] of changes(`by-${through}-${trial}`)) {
          answer = await ask(operation, typeof input === 'function' ? input(answer) : input);
          const shape = JSON.stringify(shapeOf(answer));
          if (!UNSTEADY.includes(operation))
            shapes.set(operation, (shapes.get(operation) ?? new Set()).add(shape));
        }
      }),
    );
    for (const [operation, seen] of shapes) expect([...seen], operation).toHaveLength(1);
    const looks = [...UNSTEADY, 'list_agents', 'show_agent', 'list_agent_projects', 'list_agent_roles'];
    const pages = ['show_agent_task_history', 'show_agent_log', 'show_agent_diff', 'show_agent_checks'];
    const ofThePage = ['show_agent_conversation', 'show_agent_timeline', 'show_doctor'];
    const access = ['list_browser_sessions', 'end_browser_session', 'list_tokens', 'revoke_token'];
    const questions = ['list_approvals', 'respond_approval', 'list_tool_agents', 'list_kept'];
    const others = [...looks, ...pages, ...questions, ...ofThePage, ...access, 'report_task'];
    expect([...shapes.keys(), ...others].toSorted()).toEqual(NAMES);
    expect((await agentsOf(asks.MCP)).map(({ name }) => name)).toEqual(['rest']);
  });

  it('has wire names in snake_case only [OP-snake-case]', async () => {
    const client = await interfaces.clientOfAll({ kind: 'SDK v2, modern era', over: 'stdio' });
    const tools = await client.tools();
    const named = tools.flatMap(({ inputSchema, outputSchema }) => [
      ...propertiesIn(inputSchema),
      ...propertiesIn(outputSchema),
    ]);
    const said = await Promise.all([
      asks.MCP('list_agents'),
      asks.MCP('show_agent', { agent_name: 'rest' }),
      asks.MCP('list_agent_roles', { project: 'Setup' }),
      asks.MCP('show_agent_task_history', { agent_name: 'rest' }),
      asks.MCP('show_agent_log', { agent_name: 'rest' }),
      failure(asks.MCP('create_agent', { project: 'Nowhere', task: 'x' })).then(({ details }) => details),
    ]);
    const names = [...named, ...said.flatMap(keysIn), ...tools.map(({ name }) => name)];
    expect(names.length).toBeGreaterThan(200);
    for (const name of names) expect(name).toMatch(/^[a-z][a-z0-9]*(_[a-z0-9]+)*$/);
  });
});

const callList = z.object({
  operations: z.array(z.object({ name: z.string(), inputs: z.array(z.string()) })),
});
const objectSchema = z.looseObject({ properties: z.record(z.string(), z.unknown()).default({}) });

function inputsOf(schema: object | undefined): string[] {
  return Object.keys(objectSchema.parse(schema ?? {}).properties).toSorted();
}

async function openApiInputs(): Promise<Map<string, string[]>> {
  const { body } = await interfaces.served.request('GET', '/api/openapi.json');
  const inputs = new Map<string, string[]>();
  for (const methods of Object.values(openApi.parse(body).paths)) {
    for (const { operationId, parameters, requestBody } of Object.values(methods)) {
      // The routes of the session are not operations.
      if (operationId.startsWith('chat_')) continue;
      const inBody = inputsOf(requestBody?.content['application/json'].schema);
      inputs.set(operationId, [...parameters.map(({ name }) => name), ...inBody].toSorted());
    }
  }
  return inputs;
}

const openApi = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.object({
        operationId: z.string(),
        parameters: z.array(z.object({ name: z.string() })),
        requestBody: z
          .object({ content: z.object({ 'application/json': z.object({ schema: z.looseObject({}) }) }) })
          .optional(),
      }),
    ),
  ),
});

/** The fields of an answer with the types of their values; whether a value is there yet is a matter of time. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== 'object' || value === null) return value === null ? 'any' : typeof value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([key]) => key !== 'fleet_metadata')
      .map(([key, inner]) => [key, NULLABLE.has(key) ? 'any' : shapeOf(inner)] as const)
      .toSorted(([a], [b]) => (a < b ? -1 : 1)),
  );
}

const NULLABLE = new Set(['git', 'current_task', 'busy_since', 'kept']);

function propertiesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => [
    ...(key === 'properties' ? Object.keys(value as object) : []),
    ...propertiesIn(value),
  ]);
}

function keysIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(keysIn);
  return Object.entries(value).flatMap(([key, inner]) => [key, ...keysIn(inner)]);
}
