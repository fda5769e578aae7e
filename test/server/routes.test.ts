import { describe, expect } from 'vitest';
import { OPERATIONS } from '../../src/operations/table.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentsOf, askAs, failure, signalFile, type Answer } from '../support/fleets/fleet-under-test.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { script } from '../support/script.ts';
import { askByCall, askByHttp, ROUTES } from './three-interfaces.ts';

const agent_name = 'worker';

const NO_ID = '00000000-0000-4000-8000-000000000000';
const it = fleetTest();

describe('the routes under /api/v1', () => {
  it('are those of the contract, and each does its operation [OP-routes]', async ({ fleet, served }) => {
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
      [
        'GET',
        `${of}/diff?paths=a.txt&paths=b.txt`,
        undefined,
        200,
        { agent_name, branch: `fleet/${agent_name}`, files: [] },
      ],
      ...workSteps(of),
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
      ['GET', '/api/v1/tool-agents', undefined, 200, { tool_agents: [{ id: 'fleet', kind: 'registry' }] }],
      ['GET', '/api/v1/kept', undefined, 200, { kept: [], total_count: 0 }],
      [
        'GET',
        `${of}/conversation?limit=1&direction=newer`,
        undefined,
        200,
        { agent_name, entries: [{ kind: 'note' }], older: null, has_newer: true },
      ],
      [
        'GET',
        `${of}/timeline?limit=1&direction=newer`,
        undefined,
        200,
        { agent_name, facts: [{ kind: 'agent.created' }], older: null },
      ],
      ['GET', '/api/v1/doctor', undefined, 200, { checks: expect.any(Array) }],
      ['GET', '/api/v1/browser-sessions', undefined, 200, { sessions: [], total_count: 0 }],
      ['DELETE', '/api/v1/browser-sessions/ffffffff-1', undefined, 404, { error: { code: 'NOT_FOUND' } }],
      ['GET', '/api/v1/tokens', undefined, 200, { tokens: [], total_count: 0 }],
      ['DELETE', '/api/v1/tokens/nobody', undefined, 404, { error: { code: 'NOT_FOUND' } }],
      ['POST', `/api/v1/kept/${NO_ID}/restore`, { name: 'back' }, 404, { error: { code: 'NOT_FOUND' } }],
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

  it('take no other method, and there is nothing beside them', async ({ served }) => {
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
          message: expect.stringContaining(`"${path}" does not support ${method}`),
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

/** The routes of review and merge, for an agent without work. */
function workSteps(of: string): readonly (readonly [string, string, Answer | undefined, number, Answer])[] {
  const missing = { error: { code: 'NOT_FOUND' } };
  const invalid = { error: { code: 'INVALID_INPUT' } };
  return [
    ['GET', `${of}/checks`, undefined, 400, invalid],
    ['POST', `${of}/checks`, {}, 400, invalid],
    ['GET', `${of}/checkpoints`, undefined, 200, { agent_name, checkpoints: expect.any(Array) }],
    ['GET', `${of}/review-comments`, undefined, 200, { comments: [], total_count: 0 }],
    ['POST', `${of}/review-comments`, { path: 'x', line: 1, text: 'x' }, 400, invalid],
    ['DELETE', `${of}/review-comments/x`, undefined, 404, missing],
    ['POST', `${of}/review`, {}, 400, invalid],
    ['POST', `${of}/update`, {}, 200, { agent_name }],
    ['POST', `${of}/land`, {}, 409, { error: { code: 'CONFLICT', details: { reason: 'nothing_to_land' } } }],
    ['POST', '/api/v1/land', { agent_names: [agent_name] }, 200, { results: [{ state: 'failed' }] }],
    ['POST', '/api/v1/land/x/undo', {}, 404, missing],
    [
      'POST',
      `${of}/publish`,
      {},
      400,
      { error: { code: 'INVALID_INPUT', details: { reason: 'no_remote' } } },
    ],
    ['GET', `/api/v1/conflicts?agent_names=${agent_name}`, undefined, 200, { conflicts: [] }],
    ['POST', '/api/v1/forecast', { project: 'Setup' }, 200, { project: 'Setup', conflicts: [] }],
    ['GET', '/api/v1/forecast?project=Setup', undefined, 200, { project: 'Setup' }],
    ['POST', '/api/v1/race', { project: 'Nowhere', task: 'x', count: 2 }, 404, missing],
    ['GET', `/api/v1/compare?agent_names=${agent_name}`, undefined, 400, invalid],
    ['POST', `${of}/fork`, { checkpoint: 99, task: 'x' }, 400, invalid],
  ];
}

describe('an unknown input', () => {
  it('is INVALID_INPUT that names it, at every interface [OP-unknown-input]', async ({ fleet, served }) => {
    await using stdio = await connectClient('SDK v1', { env: fleet.env });
    await using http = await connectClient('SDK v2, modern era', served);
    const asks = { HTTP: askByHttp(served), 'fleet mcp': stdio.ask, '/mcp': http.ask };
    for (const { name, input } of OPERATIONS) {
      const known = Object.fromEntries(Object.keys(input.shape).flatMap((key) => samples(key)));
      for (const [through, ask] of Object.entries(asks)) {
        const error = await failure(ask(name, { ...known, tsak: 'x' }));
        expect(error, `${name} by ${through}`).toMatchObject({
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
    name: 'x',
    decision: 'allow',
    workspace_id: NO_ID,
    agent_names: 'x',
    land_id: 'ffffffff-2',
    path: 'x',
    line: 1,
    text: 'x',
    count: 2,
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
    .replace(`/${NO_ID}`, '/{workspace_id}')
    .replace('/land/x/', '/land/{land_id}/')
    .replace('/tokens/nobody', '/tokens/{name}')
    .replace(/\/(?:ffffffff-1|x)$/, '/{id}');
  return `${method} ${pattern}`;
}
