import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { agentsOf, askAs, idleAgent } from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { startServe, type RawRequest, type ServeProcess } from './serve-process.ts';

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let served: ServeProcess;
let before: unknown;
beforeAll(async () => {
  fleet = opened.use(localFleet());
  served = opened.use(await startServe(fleet.env, '--port', '0'));
  await idleAgent(askAs(fleet.fleet), 'sony');
  before = await stateOfFleet();
});
afterAll(() => opened.disposeAsync());

async function stateOfFleet(): Promise<unknown> {
  return { agents: await agentsOf(askAs(fleet.fleet)), events: fleet.fleet.events?.latest() };
}

const envelope = z.strictObject({
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1).max(1_000),
    details: z.looseObject({ field: z.string().optional(), reason: z.string().optional() }),
  }),
});

/** The error of a request that must be refused like this. */
async function refused(request: RawRequest, status: number) {
  const answer = await served.send(request);
  expect(answer.status, `${JSON.stringify(request)?.slice(0, 200)} ${JSON.stringify(answer.body)}`).toBe(
    status,
  );
  const { error } = envelope.parse(answer.body);
  // oxlint-disable-next-line no-control-regex -- that is what it looks for
  expect(error.message).not.toMatch(/[\u0000-\u001f]/);
  return error;
}

const json = (body: unknown, path = '/api/v1/agents', method = 'POST'): RawRequest => ({
  method,
  path,
  headers: { 'content-type': 'application/json' },
  body: typeof body === 'string' ? body : JSON.stringify(body),
});

describe('a request', () => {
  it('of a foreign host or origin is FORBIDDEN, even with a good token [ERR-foreign]', async () => {
    const own = new URL(served.url).host;
    const [, port] = own.split(':');
    const attempts = ['/api/v1/agents', '/mcp', '/events', '/', '/healthz', '/metrics', '/nothing'];
    for (const host of [
      'evil.example',
      `evil.example:${port}`,
      `127.0.0.1.evil.example:${port}`,
      `localhost.evil.example`,
      `0.0.0.0:${port}`,
    ]) {
      for (const path of attempts) {
        const error = await refused({ path, headers: { host } }, 403);
        expect(error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'foreign_host' } });
        expect(error.message).toContain(JSON.stringify(host));
      }
    }
    for (const origin of [
      'null',
      'http://evil.example',
      `https://${own}`,
      'http://127.0.0.1:1',
      'file://',
      'x',
    ]) {
      for (const path of attempts) {
        const error = await refused({ path, headers: { origin } }, 403);
        expect(error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'foreign_origin' } });
        expect(error.message).toContain(JSON.stringify(origin));
      }
    }
    for (const host of [`evil@127.0.0.1:${port}`, '[::1', '127.0.0.1:x', 'a b']) {
      const error = await refused({ headers: { host } }, 400);
      expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'malformed_request' } });
    }
    for (const headers of [{ origin: `http://${own}` }, { host: `localhost:${port}` }]) {
      expect((await served.send({ headers })).status).toBe(200);
    }
    expect(await stateOfFleet()).toEqual(before);
  });

  it('with malformed JSON, a wrong type or a value over its limit is INVALID_INPUT [ERR-malformed]', async () => {
    const good = { project: 'Setup', task: 'x', name: 'ghost' };
    const bodies = ['{', '{"project": "Setup",}', '"text"', '[]', '[{}]', 'null', '7', "{'a': 1}", '\u0000'];
    for (const body of bodies) {
      expect((await refused(json(body), 400)).code, body).toBe('INVALID_INPUT');
    }
    const invalid = Buffer.from([0x7b, 0xff, 0xfe, 0x7d]);
    expect((await refused({ ...json(''), body: invalid }, 400)).code).toBe('INVALID_INPUT');
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', '']) {
      const error = await refused({ ...json(good), headers: { 'content-type': type } }, 400);
      expect(error).toMatchObject({ code: 'INVALID_INPUT', details: { reason: 'content_type' } });
    }
    const values: readonly (readonly [string, unknown, string])[] = [
      ['task', 7, '7'],
      ['task', { a: 1 }, 'a'],
      ['task', ['x'], 'x'],
      ['task', true, 'true'],
      ['project', null, 'null'],
      ['task', '', '""'],
      ['task', 'a\u0000b', 'a\\u0000b'],
      ['task', 'y'.repeat(65_537), 'yyy'],
      ['name', '-x', '"-x"'],
      ['name', '--discard-work', '"--discard-work"'],
      ['name', '../sony', '"../sony"'],
      ['name', 'a\u001b]0;x\u0007', 'a\\u001b]0;x'],
      ['name', 'n'.repeat(33), 'nnn'],
      ['project', 'p'.repeat(201), 'ppp'],
      ['spec', 's'.repeat(65_537), 'sss'],
      ['idempotency_key', '', '""'],
      ['pull_request_url', 'file:///etc/passwd', 'file:///etc/passwd'],
    ];
    for (const [field, value, quoted] of values) {
      const error = await refused(json({ ...good, [field]: value }), 400);
      expect(error, field).toMatchObject({ code: 'INVALID_INPUT', details: { field } });
      expect(error.message).toContain(quoted);
    }
    expect(await stateOfFleet()).toEqual(before);
  });

  it('with a bad path or query is refused with what was wrong [ERR-field]', async () => {
    const paths: readonly (readonly [string, string | undefined, string])[] = [
      ['/api/v1/agents/%', undefined, '%'],
      ['/api/v1/agents/%ff', undefined, '%ff'],
      ['/api/v1/agents/%2e%2e%2fsony', 'agent_name', '../sony'],
      ['/api/v1/agents/--all', 'agent_name', '--all'],
      ['/api/v1/agents/a%00b', 'agent_name', 'a\\u0000b'],
      [`/api/v1/agents/${'x'.repeat(2_000)}`, 'agent_name', 'xxx'],
      ['/api/v1/agents?page=%', undefined, 'percent'],
      ['/api/v1/agents?page=one', 'page', '"one"'],
      ['/api/v1/agents?page=', 'page', '""'],
      ['/api/v1/agents?page=0x1', 'page', '0x1'],
      ['/api/v1/agents?page=1&page=1', 'page', '"page"'],
      ['/api/v1/agents?page=99999999999999999999', 'page', '1'],
      ['/api/v1/agents?__proto__=1', '__proto__', '__proto__'],
      ['/api/v1/agents?constructor=1', 'constructor', 'constructor'],
      ['/api/v1/agents/sony?agent_name=papi', 'agent_name', '"papi"'],
      ['/api/v1/wait?timeout_seconds=-1', 'timeout_seconds', '-1'],
      ['/api/v1/wait?agent_names=%20,', 'agent_names', ','],
      ['/events?cursor=x', 'cursor', '"x"'],
      ['/events?since=1', 'since', '"since"'],
    ];
    for (const [path, field, quoted] of paths) {
      const error = await refused({ path }, 400);
      expect(error.code, path).toBe('INVALID_INPUT');
      expect(error.details.field, path).toBe(field);
      expect(error.message, path).toContain(quoted);
    }
    const twice = json({ agent_name: 'papi', task_description: 'x' }, '/api/v1/agents/sony/tasks');
    expect(await refused(twice, 400)).toMatchObject({ details: { field: 'agent_name' } });
    const query = json({ task_description: 'x' }, '/api/v1/agents/sony/tasks?when_busy=queue');
    expect(await refused(query, 400)).toMatchObject({ details: { field: 'when_busy' } });
    // What is inherited is not given, and what looks like it is an unknown input.
    for (const [body, field] of [
      ['{"__proto__": {"project": "Setup"}, "task": "x"}', 'project'],
      ['{"__proto__": 1, "project": "Setup", "task": "x"}', '__proto__'],
    ] as const) {
      expect(await refused(json(body), 400)).toMatchObject({ code: 'INVALID_INPUT', details: { field } });
    }
    expect(await stateOfFleet()).toEqual(before);
  });
});
