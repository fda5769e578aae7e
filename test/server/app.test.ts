import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { FleetError } from '../../src/domain/values/errors.ts';
import { BODY_LIMIT } from '../../src/server/http/http-input.ts';
import { errorOf, setUpApp } from './app-under-test.ts';

describe('operations over HTTP', () => {
  test('are there at their routes', async () => {
    const { ask, post } = setUpApp();
    expect(await (await ask('/api/v1/agents')).json()).toMatchObject({
      agents: [{ name: 'sony' }],
      total_count: 1,
    });
    const created = await post('/api/v1/agents', { project: 'Setup', task: 'Do it', name: 'papi' });
    expect(created.status).toBe(201);
    expect(await created.json()).toMatchObject({ agent: { name: 'papi', created_by: 'token:default' } });
    const started = await post('/api/v1/agents/papi/tasks', { task_description: 'More' });
    expect(started.status).toBe(200);
    expect(await (await ask('/api/v1/agents/PAPI/tasks?page=1&page_size=5')).json()).toMatchObject({
      tasks: [{ message: 'More', source: 'human' }],
      page_size: 5,
    });
    const put = await post('/api/v1/agents/papi/metadata/fleet_mcp_note', { value: 'x' }, 'PUT');
    expect(await put.json()).toEqual({ agent_name: 'papi', key: 'fleet_mcp_note', value: 'x' });
    expect((await ask('/api/v1/agents/papi/ack', { method: 'POST' })).status).toBe(200);
    expect(await (await ask('/api/v1/projects/Site/roles')).json()).toMatchObject({
      project: 'Site',
      total_count: 3,
    });
    expect((await ask('/api/v1/agents/papi?discard_work=true', { method: 'DELETE' })).status).toBe(200);
    expect((await post('/api/v1/agents/sony', { discard_work: true }, 'DELETE')).status).toBe(200);
    expect(await (await ask('/api/v1/wait?timeout_seconds=0.5&until=idle')).json()).toMatchObject({
      timed_out: false,
    });
    expect((await ask('/api/v1/agents', { method: 'HEAD' })).status).toBe(200);
  });

  test('tell failures with the status of the code', async () => {
    const { ask, post, backend } = setUpApp();
    expect(await errorOf(await ask('/api/v1/agents/nobody'), 404)).toMatchObject({
      code: 'NOT_FOUND',
      details: { field: 'agent_name' },
    });
    const taken = await post('/api/v1/agents', { project: 'Setup', task: 'Do it', name: 'SONY' });
    expect((await errorOf(taken, 409)).code).toBe('CONFLICT');
    backend.failure = new FleetError('SERVICE_UNAVAILABLE', 'The backend is away.');
    expect((await errorOf(await ask('/api/v1/agents'), 503)).code).toBe('SERVICE_UNAVAILABLE');
  });

  test('keep a defect to themselves', async () => {
    const { ask, backend } = setUpApp();
    backend.failure = new Error('password is hunter2');
    const log = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => log.mockRestore());
    const error = await errorOf(await ask('/api/v1/agents'), 500);
    expect(error.code).toBe('INTERNAL_ERROR');
    expect(JSON.stringify(error)).not.toMatch(/hunter2|at .*\.ts/);
    expect(log.mock.calls.join('')).toContain('hunter2');
  });

  test('check what comes in, and name the input at fault', async () => {
    const { ask, post, backend } = setUpApp();
    const queries: readonly [string, string][] = [
      ['/api/v1/agents?nonsense=1', 'nonsense'],
      ['/api/v1/agents?page=one', 'page'],
      ['/api/v1/agents?page=', 'page'],
      ['/api/v1/agents?page=1.5', 'page'],
      ['/api/v1/agents?page=0x1', 'page'],
      ['/api/v1/agents?page=1&page=1', 'page'],
      ['/api/v1/agents?status_filter=sleepy', 'status_filter'],
      ['/api/v1/agents/sony?agent_name=papi', 'agent_name'],
      ['/api/v1/agents/two%20words', 'agent_name'],
    ];
    for (const [path, field] of queries) {
      expect(await errorOf(await ask(path), 400), path).toMatchObject({
        code: 'INVALID_INPUT',
        details: { field },
      });
    }
    const bodies: readonly [unknown, string][] = [
      [{ project: 'Setup', task: 'x', nonsense: 1 }, 'nonsense'],
      [{ project: 'Setup', task: 7 }, 'task'],
      [{ project: 'Setup', task: ' ' }, 'task'],
      [{ project: 'Setup' }, 'task'],
      [{ project: 'Setup', task: 'x', name: 'no good' }, 'name'],
      [{ project: 'Setup', task: 'x'.repeat(70_000) }, 'task'],
    ];
    for (const [body, field] of bodies) {
      expect(await errorOf(await post('/api/v1/agents', body), 400)).toMatchObject({
        code: 'INVALID_INPUT',
        details: { field },
      });
    }
    const contradiction = await post('/api/v1/agents/sony/tasks', {
      agent_name: 'papi',
      task_description: 'x',
    });
    expect((await errorOf(contradiction, 400)).details).toMatchObject({ field: 'agent_name' });
    const same = await post('/api/v1/agents/sony/tasks', { agent_name: 'sony', task_description: 'x' });
    expect(same.status).toBe(200);
    const query = await ask('/api/v1/agents/sony/ack?x=1', { method: 'POST' });
    expect((await errorOf(query, 400)).details).toMatchObject({ field: 'x' });
    expect(backend.agents.size).toBe(1);
  });

  test('take a JSON object and nothing else as a body', async () => {
    const { ask } = setUpApp();
    const send = (body: string, type: string) =>
      ask('/api/v1/agents', { method: 'POST', body, headers: { 'Content-Type': type } });
    for (const body of ['{', '"text"', '[]', 'null', '{"project": "Setup",}']) {
      expect((await errorOf(await send(body, 'application/json'), 400)).code).toBe('INVALID_INPUT');
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded']) {
      expect((await errorOf(await send('{}', type), 400)).details).toMatchObject({ reason: 'content_type' });
    }
  });

  test('refuse a body over the limit', async () => {
    const { post } = setUpApp();
    const response = await post('/api/v1/agents', { project: 'Setup', task: 'x'.repeat(BODY_LIMIT) });
    expect((await errorOf(response, 413)).code).toBe('TOO_LARGE');
  });

  test('are NOT_FOUND at other paths and methods', async () => {
    const { ask } = setUpApp();
    for (const path of [
      '/api/v1',
      '/api/v1/',
      '/api/v1/agents/',
      '/api/v1/agents//tasks',
      '/api/v2/agents',
      '/nothing',
    ]) {
      expect((await errorOf(await ask(path), 404)).code, path).toBe('NOT_FOUND');
    }
    const method = await errorOf(await ask('/api/v1/agents/sony', { method: 'POST' }), 404);
    expect(method.details).toEqual({ reason: 'method_not_allowed', allowed_methods: ['GET', 'DELETE'] });
    const events = await errorOf(await ask('/events', { method: 'POST' }), 404);
    expect(events.details).toMatchObject({ allowed_methods: ['GET'] });
  });

  test('refuse a malformed percent-encoding', async () => {
    const { ask } = setUpApp();
    for (const path of [
      '/api/v1/agents/%',
      '/api/v1/agents/%ff',
      '/api/v1/agents?project_filter=%',
      '/api/v1/agents?x=%ff',
    ]) {
      expect((await errorOf(await ask(path), 400)).code, path).toBe('INVALID_INPUT');
    }
    const slash = await errorOf(await ask('/api/v1/agents/a%2Fb'), 400);
    expect(slash.details).toMatchObject({ field: 'agent_name' });
  });

  test('are refused when too many are at work, and not a moment longer', async () => {
    const { ask, backend, events } = setUpApp({ mostAtOnce: 1 });
    backend.setBusy('sony', 'a long task');
    const stop = new AbortController();
    const waiting = ask('/api/v1/wait?timeout_seconds=3600', { signal: stop.signal });
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(1);
    const refused = await ask('/api/v1/agents');
    expect(refused.headers.get('retry-after')).toBe('1');
    expect((await errorOf(refused, 429)).code).toBe('RATE_LIMITED');
    stop.abort();
    expect((await waiting).status).toBe(499);
    expect((await ask('/api/v1/agents')).status).toBe(200);
  });

  test('end when the client goes, and when the server stops', async () => {
    const shutdown = new AbortController();
    const { ask, backend, events } = setUpApp({ signal: shutdown.signal });
    backend.setBusy('sony', 'a long task');
    const gone = new AbortController();
    const first = ask('/api/v1/wait?timeout_seconds=3600', { signal: gone.signal });
    const second = ask('/api/v1/wait?timeout_seconds=3600');
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(2);
    gone.abort();
    expect((await first).status).toBe(499);
    expect(events.waiting).toBe(1);
    shutdown.abort();
    expect((await errorOf(await second, 503)).details).toEqual({ reason: 'stopping' });
    expect((await errorOf(await ask('/mcp', { method: 'POST' }), 503)).details).toEqual({
      reason: 'stopping',
    });
    expect(events.waiting).toBe(0);
  });
});

describe('/metrics', () => {
  test('counts agents and requests', async () => {
    const { ask, backend } = setUpApp();
    backend.addAgent('papi', { attention: { reason: 'help', since: '2026-11-01T10:00:00.000Z' } });
    await ask('/api/v1/agents/sony');
    await ask('/api/v1/agents/nobody');
    await ask('/api/v1/agents/%');
    const response = await ask('/metrics');
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    const lines = (await response.text()).split('\n');
    expect(lines).toContain('fleet_agents{status="idle"} 2');
    expect(lines).toContain('fleet_agents{status="busy"} 0');
    expect(lines).toContain('fleet_agents_needing_attention 1');
    expect(lines).toContain('fleet_http_requests_total{route="/api/v1/agents/{agent_name}",code="200"} 1');
    expect(lines).toContain('fleet_http_requests_total{route="/api/v1/agents/{agent_name}",code="404"} 1');
    expect(lines).toContain('fleet_http_requests_total{route="other",code="400"} 1');
    for (const line of lines.slice(0, -1))
      expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{(\w+="[^"]*",?)+\})? \d+)$/);
  });
});
