import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleet-process.ts';
import { agentsOf, askAs, failure, signalFile, type Answer } from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { script } from '../support/script.ts';
import { askByCall, askByHttp, ROUTES } from './three-doors.ts';

const agent_name = 'worker';

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  fleet = opened.use(localFleet());
  served = opened.use(await serveFleet(fleet.env));
});
afterAll(() => opened.disposeAsync());

describe('the routes under /api/v1', () => {
  it('are those of the contract, and each does its operation [OP-routes]', async () => {
    const held = script({ hold: signalFile(fleet, 'never') });
    const of = `/api/v1/agents/${agent_name}`;
    const starting = expect.stringMatching(/^(pending|starting|busy|idle)$/);
    const steps: readonly (readonly [string, string, Answer | undefined, number, Answer])[] = [
      ['GET', '/api/v1/projects', undefined, 200, { projects: expect.any(Array), total_count: 2 }],
      ['GET', '/api/v1/projects/setup/roles', undefined, 200, { project: 'Setup', roles: expect.any(Array) }],
      [
        'POST',
        '/api/v1/agents',
        { project: 'Setup', task: 'First', name: agent_name },
        201,
        { agent: { name: agent_name, created_by: 'token:default' } },
      ],
      ['GET', `/api/v1/wait?agent_names=${agent_name}`, undefined, 200, { timed_out: false }],
      ['GET', '/api/v1/agents', undefined, 200, { agents: [{ name: agent_name }], total_count: 1 }],
      ['GET', of, undefined, 200, { agent: { name: agent_name, spec: 'First' } }],
      ['PUT', `${of}/metadata/fleet_mcp_note`, { value: 'v' }, 200, { key: 'fleet_mcp_note', value: 'v' }],
      ['POST', `${of}/tasks`, { task_description: held }, 200, { task: { message: held } }],
      ['POST', `${of}/cancel`, undefined, 200, { interrupt_sent: true, task: { state: 'canceled' } }],
      ['GET', `${of}/tasks`, undefined, 200, { tasks: [{ message: held }, { message: 'First' }] }],
      ['GET', `${of}/log?page_size=100`, undefined, 200, { logs: expect.any(Array), page_size: 100 }],
      ['POST', `${of}/ack`, undefined, 200, { message: expect.stringContaining('acknowledged') }],
      ['POST', `${of}/reports`, { message: 'x' }, 403, { error: { code: 'FORBIDDEN' } }],
      [
        'GET',
        `/api/v1/approvals?agent_name=${agent_name}`,
        undefined,
        200,
        { approvals: [], total_count: 0 },
      ],
      ['POST', '/api/v1/approvals/ffffffff-1', { decision: 'allow' }, 404, { error: { code: 'NOT_FOUND' } }],
      ['POST', `${of}/stop`, undefined, 200, { status: 'stopped' }],
      ['POST', `${of}/restart`, undefined, 200, { status: starting }],
      ['DELETE', `${of}?discard_work=true`, undefined, 200, { agent_name, kept: null }],
    ];
    const used = new Set<string>();
    for (const [method, path, body, status, answer] of steps) {
      const response = await served.request(method, path, body);
      expect(response.body, `${method} ${path}`).toMatchObject(answer);
      expect(response.status, `${method} ${path}`).toBe(status);
      used.add(patternOf(method, path));
    }
    expect([...used].toSorted()).toEqual(Object.values(ROUTES).toSorted());
    expect(Object.keys(ROUTES).toSorted()).toEqual(OPERATIONS.map(({ name }) => name).toSorted());
    expect(await agentsOf(askAs(fleet.fleet))).toEqual([]);
  });

  it('take no other method, and there is nothing beside them', async () => {
    for (const [method, path, allowed] of [
      ['PUT', '/api/v1/agents', ['GET', 'POST']],
      ['POST', '/api/v1/agents/x', ['GET', 'DELETE']],
      ['DELETE', '/api/v1/agents/x/tasks', ['POST', 'GET']],
      ['PATCH', '/api/v1/agents/x/metadata/fleet_mcp_x', ['PUT']],
    ] as const) {
      const { status, body } = await served.request(method, path, {});
      expect(status).toBe(404);
      expect(body).toMatchObject({
        error: {
          code: 'NOT_FOUND',
          message: expect.stringContaining(`"${path}" does not take ${method}`),
          details: { reason: 'method_not_allowed', allowed_methods: expect.arrayContaining([...allowed]) },
        },
      });
    }
    for (const path of ['/api/v1/nothing', '/api/v2/agents', '/api/v1/agents/', '/api/v1/agents/a/b/c']) {
      const { status, body } = await served.request('GET', path);
      expect(status).toBe(404);
      const message = expect.stringContaining(`"${path}"`);
      expect(body).toMatchObject({ error: { code: 'NOT_FOUND', message } });
    }
  });
});

describe('an unknown input', () => {
  it('is INVALID_INPUT that names it, at every door [OP-unknown-input]', async () => {
    await using stdio = await connectClient('SDK v1', { env: fleet.env });
    await using http = await connectClient('SDK v2, modern era', served);
    const asks = { HTTP: askByHttp(served), 'fleet mcp': stdio.ask, '/mcp': http.ask };
    for (const { name, input } of OPERATIONS) {
      const known = Object.fromEntries(Object.keys(input.shape).flatMap((key) => samples(key)));
      for (const [door, ask] of Object.entries(asks)) {
        const error = await failure(ask(name, { ...known, tsak: 'x' }));
        expect(error, `${name} by ${door}`).toMatchObject({
          code: 'INVALID_INPUT',
          details: { field: 'tsak' },
        });
        expect(error.message).toContain('"tsak"');
      }
    }
    const called = await failure(askByCall(fleet.env)('list_agents', { tsak: 'x' }));
    expect(called).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'tsak' } });
    expect(called.message).toContain('"tsak"');
    const typed = await runFleet(['create', 'Setup', '--tsak', 'x', 'y'], { env: fleet.env });
    expect(typed.code).toBe(2);
    expect(typed.stderr).toContain('--tsak');
    expect(await agentsOf(askAs(fleet.fleet))).toEqual([]);
  });
});

/** A good value for an input that is needed; what can be left out is. */
function samples(key: string): [string, unknown][] {
  const values: Answer = {
    agent_name: 'x',
    project: 'Setup',
    task: 'x',
    task_description: 'x',
    key: 'fleet_mcp_x',
    value: 'x',
    message: 'x',
    id: 'ffffffff-1',
    decision: 'allow',
  };
  return Object.hasOwn(values, key) ? [[key, values[key]]] : [];
}

function patternOf(method: string, path: string): string {
  const pattern = path
    .replace('/api/v1', '')
    .replace(/\?.*/, '')
    .replace('/setup/', '/{project}/')
    .replace(`/${agent_name}`, '/{agent_name}')
    .replace('/fleet_mcp_note', '/{key}')
    .replace('/ffffffff-1', '/{id}');
  return `${method} ${pattern}`;
}
