import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { Cli } from '../../src/cli/output/cli.ts';
import { reportFailure } from '../../src/cli/output/exit.ts';
import { FleetError, isErrorCode } from '../../src/domain/values/errors.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { agentsOf, askAs, idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { setUpApp } from './app-under-test.ts';
import { startServe, type RawAnswer, type ServeProcess } from './serve-process.ts';

const HUGE = `{"project": "Setup", "task": "${'x'.repeat(5 * 1024 * 1024)}"}`;

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let served: ServeProcess;
beforeAll(async () => {
  fleet = opened.use(
    localFleet(({ roles }) => {
      roles['absent'] = { agent: 'command', command: ['no-such-program-anywhere'] };
    }),
  );
  served = opened.use(await startServe(fleet.env, '--port', '0'));
  await idleAgent(askAs(fleet.fleet), 'sony');
});
afterAll(() => opened.disposeAsync());

const envelope = z.strictObject({
  error: z.strictObject({ code: z.string(), message: z.string().min(1), details: z.looseObject({}) }),
});

const post = (path: string, body: Answer | string): Promise<RawAnswer> =>
  served.send({
    method: 'POST',
    path: `/api/v1${path}`,
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

/** The error of a request, which must have this status. */
function errorOf({ status, body }: RawAnswer, wanted: number) {
  expect(status, JSON.stringify(body)).toBe(wanted);
  return envelope.parse(body).error;
}

/** `fleet call` that must fail like this over HTTP: the same envelope, and the exit code. */
async function called(operation: string, input: Answer | string) {
  const fromStdin = typeof input === 'string';
  const { code, stdout, stderr } = await runFleet(
    ['call', operation, fromStdin ? '-' : JSON.stringify(input)],
    { env: fleet.env, ...(fromStdin ? { stdin: input } : {}) },
  );
  expect(stderr).toBe('');
  return { exit: code, error: envelope.parse(JSON.parse(stdout)).error };
}

/** The exit code for an error that only a server can meet. */
function exitFor(code: string): number {
  if (!isErrorCode(code)) throw new Error(`unknown code ${code}`);
  const cli = new Cli({ env: {}, stdout: new PassThrough(), stderr: new PassThrough() });
  return reportFailure(cli, new FleetError(code, 'x'));
}

describe('an error', () => {
  it('of bad input is INVALID_INPUT, 400 and 2 [ERR-invalid-input, ERR-http, ERR-field]', async () => {
    const error = errorOf(await served.send({ path: '/api/v1/agents?status_filter=sleepy' }), 400);
    expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'status_filter' } });
    expect(error.message).toContain('"sleepy"');
    expect(await called('list_agents', { status_filter: 'sleepy' })).toEqual({ exit: 2, error });
  });

  it('of what is not there is NOT_FOUND, 404 and 3 [ERR-not-found, ERR-http]', async () => {
    const error = errorOf(await served.send({ path: '/api/v1/agents/nobody' }), 404);
    expect(error).toMatchObject({ code: 'NOT_FOUND', details: { field: 'agent_name' } });
    expect(error.message).toContain('"nobody"');
    expect(await called('show_agent', { agent_name: 'nobody' })).toEqual({ exit: 3, error });
    const project = errorOf(await post('/agents', { project: 'Nowhere', task: 'x' }), 404);
    expect(project.details).toMatchObject({ field: 'project', projects: ['Setup', 'DataOne'] });
    const role = errorOf(await post('/agents', { project: 'Setup', task: 'x', role: 'poet' }), 404);
    expect(role.details).toMatchObject({
      field: 'role',
      roles: expect.arrayContaining(['scripted', 'coder']),
    });
  });

  it('of what is taken is CONFLICT, 409 and 4 [ERR-conflict, ERR-http]', async () => {
    const input = { project: 'Setup', task: 'x', name: 'SONY' };
    const error = errorOf(await post('/agents', input), 409);
    expect(error).toMatchObject({ code: 'CONFLICT', details: { field: 'name' } });
    expect(await called('create_agent', input)).toEqual({ exit: 4, error });
  });

  it('of a missing right is FORBIDDEN, 403 and 5 [ERR-forbidden, ERR-http]', async () => {
    const input = { agent_name: 'sony', message: 'x' };
    const error = errorOf(await post('/agents/sony/reports', { message: 'x' }), 403);
    expect(error).toMatchObject({ code: 'FORBIDDEN', details: { scopes: ['self'] } });
    expect(await called('report_task', input)).toMatchObject({ exit: 5, error: { code: 'FORBIDDEN' } });
  });

  it('of no token or a bad one is UNAUTHORIZED, 401 and 5 [ERR-unauthorized, ERR-http]', async () => {
    for (const authorization of [
      '',
      'Bearer',
      'Bearer x',
      `Bearer ${served.token}0`,
      `Token ${served.token}`,
    ]) {
      for (const path of ['/api/v1/agents', '/mcp', '/events', '/metrics', '/api/openapi.json']) {
        const error = errorOf(await served.send({ path, headers: { authorization } }), 401);
        expect(error.code).toBe('UNAUTHORIZED');
        expect(error.message).toContain('Authorization: Bearer');
        expect(JSON.stringify(error)).not.toContain(served.token.slice(0, 8));
        expect(exitFor(error.code)).toBe(5);
      }
    }
  });

  it('of a body over the limit is TOO_LARGE, 413 and 8 [ERR-too-large, ERR-http]', async () => {
    const error = errorOf(await post('/agents', HUGE), 413);
    expect(error).toMatchObject({ code: 'TOO_LARGE', details: { limit: 4 * 1024 * 1024 } });
    expect(await called('create_agent', HUGE)).toMatchObject({ exit: 8, error: { code: 'TOO_LARGE' } });
    expect((await agentsOf(askAs(fleet.fleet))).map(({ name }) => name)).toEqual(['sony']);
  });

  it('of too much at once is RATE_LIMITED, 429 and 8 [ERR-rate-limited, ERR-http]', async () => {
    const { ask, backend, events } = setUpApp({ mostAtOnce: 1 });
    backend.setBusy('sony', 'a long task');
    const stop = new AbortController();
    const waiting = ask('/api/v1/wait?timeout_seconds=3600', { signal: stop.signal });
    await expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(1);
    for (const path of ['/api/v1/agents', '/mcp']) {
      const refused = await ask(path);
      expect(refused.headers.get('retry-after')).toBe('1');
      const error = errorOf({ status: refused.status, body: await refused.json() }, 429);
      expect(error.code).toBe('RATE_LIMITED');
      expect(exitFor(error.code)).toBe(8);
    }
    stop.abort();
    await waiting;
    expect((await ask('/api/v1/agents')).status).toBe(200);
  });

  it('of what cannot be reached is SERVICE_UNAVAILABLE, 503 and 7 [ERR-unavailable, ERR-http]', async () => {
    const input = { project: 'Setup', task: 'x', role: 'absent', name: 'ghost' };
    const error = errorOf(await post('/agents', input), 503);
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'agent_not_installed' } });
    expect(error.message).toContain('no-such-program-anywhere');
    expect(await called('create_agent', input)).toEqual({ exit: 7, error });
    expect((await agentsOf(askAs(fleet.fleet))).map(({ name }) => name)).toEqual(['sony']);
  });
});
