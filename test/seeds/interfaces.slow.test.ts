import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Backend } from '../../src/backends/backend.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createApp } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { FLEET } from '../support/fleets/fleet-process.ts';
import { askAs, history, idleAgent, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { fleetCommand } from './on-this-machine.ts';

let fleet: LocalFleet;
let ask: Ask;
let client: Client;

beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  client = new Client({ name: 'seeds', version: '1.0.0' });
  const { FLEET_HOME = '', FLEET_CONFIG = '', PATH = '' } = fleet.env;
  const env = { FLEET_HOME, FLEET_CONFIG, PATH };
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [FLEET, 'mcp'], env, cwd: fleet.directory }),
  );
});
afterAll(async () => {
  await client.close();
  await fleet[Symbol.asyncDispose]();
});

describe('fleet mcp', () => {
  it('offers the eleven tools by their names [T-names]', async () => {
    const names = (await client.listTools()).tools.map((tool) => tool.name);
    expect(names).toEqual(
      expect.arrayContaining([
        'list_agents',
        'show_agent',
        'list_agent_projects',
        'list_agent_roles',
        'create_agent',
        'delete_agent',
        'restart_agent',
        'start_agent_task',
        'cancel_agent_task',
        'show_agent_task_history',
        'show_agent_log',
      ]),
    );
    expect(new Set(names).size).toBe(names.length);
  });

  it('has tools that take flat scalars and lists of them only [T-scalar-inputs]', async () => {
    const { tools } = await client.listTools();
    const inputs = tools.flatMap(({ name, inputSchema }) =>
      Object.entries((inputSchema.properties ?? {}) as Record<string, object>).map(
        ([key, schema]) => [`${name}.${key}`, schema] as const,
      ),
    );
    expect(inputs.length).toBeGreaterThan(30);
    for (const [input, schema] of inputs) {
      const types = typesIn(schema);
      expect(types.length, input).toBeGreaterThan(0);
      for (const type of types) {
        expect(['string', 'integer', 'number', 'boolean', 'null'], input).toContain(type);
      }
      expect(Object.keys(schema), input).not.toContain('properties');
    }
  });
});

describe('a task', () => {
  it('runs regardless of who gave it, and says who did [US2-4, FR-012]', async () => {
    const agent_name = 'worker';
    await idleAgent(ask, agent_name);
    const input = { agent_name, task_description: 'by MCP' };
    const answer = await client.callTool({ name: 'start_agent_task', arguments: input });
    expect(answer.isError ?? false, JSON.stringify(answer)).toBe(false);
    await waitIdle(ask, agent_name);
    const typed = await fleetCommand(fleet, 'task', agent_name, script({ queue: 'by itself' }));
    expect(typed, typed.stderr).toMatchObject({ code: 0 });
    await waitIdle(ask, agent_name);
    const rows = await history(ask, agent_name);
    expect(rows.map(({ message, source, state }) => [message, source, state])).toEqual([
      ['by itself', 'agent', 'complete'],
      [script({ queue: 'by itself' }), 'human', 'complete'],
      ['by MCP', 'ai', 'complete'],
      ['get ready', 'human', 'complete'],
    ]);
    const log = (await ask('show_agent_log', { agent_name, page_size: 100 }))['logs'];
    for (const text of ['by MCP', 'by itself']) {
      expect(log).toContainEqual(expect.objectContaining({ message: `did: ${text}`, type: 'output' }));
    }
  });
});

describe('a defect', () => {
  it('is INTERNAL_ERROR, and keeps its text to itself [T-internal-error]', async () => {
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    const broken = new Proxy({} as Backend, {
      get: (_, key) => {
        if (key === 'name') return 'broken';
        return () => {
          throw new TypeError('secret: cannot read properties of undefined');
        };
      },
    });
    const app = createApp({
      fleet: new Fleet({ backends: [broken], clock: systemClock }),
      authenticator: new Authenticator({ token: 'good' }),
      version: '1.2.3',
    });
    const headers = { Authorization: 'Bearer good', 'Content-Type': 'application/json' };
    for (const [method, path] of [
      ['GET', '/agents'],
      ['GET', '/agents/sony'],
      ['GET', '/projects'],
      ['GET', '/projects/Setup/roles'],
      ['POST', '/agents'],
      ['GET', '/agents/sony/tasks'],
      ['GET', '/agents/sony/log'],
    ] as const) {
      const body = method === 'POST' ? { body: JSON.stringify({ project: 'Setup', task: 'x' }) } : {};
      const response = await app.request(`http://localhost/api/v1${path}`, { method, headers, ...body });
      const text = await response.text();
      expect(response.status, `${method} ${path} ${text}`).toBe(500);
      expect(JSON.parse(text)).toMatchObject({ error: { code: 'INTERNAL_ERROR' } });
      expect(text).not.toContain('secret');
    }
  });
});

/** Every type that a schema allows for its value. */
/** Of a list, the types of what is in it. */
function typesIn(schema: object): unknown[] {
  if ('items' in schema && typeof schema.items === 'object' && schema.items !== null)
    return typesIn(schema.items);
  return Object.entries(schema).flatMap(([key, value]: [string, unknown]) => {
    if (key === 'type') return Array.isArray(value) ? (value as unknown[]) : [value];
    if (!['anyOf', 'oneOf', 'allOf'].includes(key) || !Array.isArray(value)) return [];
    return (value as object[]).flatMap(typesIn);
  });
}
