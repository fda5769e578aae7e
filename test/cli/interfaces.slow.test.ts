import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AuditRow } from '../../src/store/call-ledger.ts';
import { FLEET, runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import {
  askAs,
  history,
  idleAgent,
  logOf,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { connectClient, stdioClient } from '../support/mcp-clients.ts';
import { script } from '../support/script.ts';

let fleet: LocalFleet;
let served: ServedFleet;
let ask: Ask;

beforeAll(async () => {
  fleet = localFleet();
  ask = askAs(fleet.fleet);
  [served] = await Promise.all([serveFleet(fleet.env), idleAgent(ask, 'worker')]);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

const json = async (...args: string[]): Promise<Answer> =>
  JSON.parse((await runFleet([...args, '--json'], { env: fleet.env })).stdout) as Answer;

describe('fleet mcp', () => {
  it('may read and operate unless --scopes says otherwise [INTERFACE-mcp-scopes]', async () => {
    const offered = async (...args: string[]): Promise<string[]> => {
      await using client = await stdioClient('SDK v2, modern era', fleet.env, ...args);
      const [listing, acknowledging] = await Promise.all([
        client.call('list_agents'),
        client.call('acknowledge_agent', { agent_name: 'worker' }),
      ]);
      const names = (await client.tools()).map(({ name }) => name);
      expect(listing.isError).toBe(!names.includes('list_agents'));
      expect(acknowledging.isError).toBe(!names.includes('acknowledge_agent'));
      for (const { isError, text } of [listing, acknowledging])
        if (isError) expect(JSON.parse(text)).toMatchObject({ error: { code: 'FORBIDDEN' } });
      return names;
    };
    const [both, readOnly, operateOnly] = await Promise.all([
      offered(),
      offered('--scopes', 'read'),
      offered('--scopes', 'operate'),
    ]);
    expect(both).toEqual(expect.arrayContaining(['list_agents', 'acknowledge_agent', 'create_agent']));
    expect(both).not.toContain('report_task');
    expect(readOnly).toContain('list_agents');
    expect(readOnly).not.toContain('acknowledge_agent');
    expect(operateOnly).toContain('acknowledge_agent');
    expect(operateOnly).not.toContain('list_agents');
    expect(new Set([...readOnly, ...operateOnly])).toEqual(new Set(both));
  });
});

describe('fleet serve --json', () => {
  it('says where it is in its first line, when it answers [INTERFACE-serve-json]', async () => {
    const child = spawn(process.execPath, [FLEET, 'serve', '--port', '0', '--json'], {
      env: fleet.env,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
      const said = JSON.parse(line) as Record<string, string>;
      expect(said).toEqual({
        url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
        mcp_url: `${said['url']}/mcp`,
        token_file: join(fleet.home, 'token'),
        pid: child.pid,
      });
      expect((await fetch(`${said['url']}/healthz`)).status).toBe(200);
      const token = readFileSync(said['token_file'] ?? '', 'utf8').trim();
      await using client = await connectClient('SDK v1', { mcp_url: said['mcp_url'] ?? '', token });
      expect(await client.ask('list_agents')).toMatchObject({ agents: [{ name: 'worker' }] });
    } finally {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    }
  });
});

describe('fleet token', () => {
  const request = async (token: string, method: string, path: string, body?: object) =>
    fetch(`${served.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
  const give = (token: string, task_description: string) =>
    request(token, 'POST', '/agents/worker/tasks', { task_description });

  it('makes tokens with the scopes and the source that are asked for [CLI-token, OP-tokens]', async () => {
    const [reader, robot, person] = await Promise.all([
      json('token', 'create', 'reader', '--scopes', 'read'),
      json('token', 'create', 'robot', '--source', 'ai'),
      json('token', 'create', 'person'),
    ]);
    expect(reader).toMatchObject({ name: 'reader', scopes: ['read'], source: 'human' });
    expect(robot).toMatchObject({ name: 'robot', scopes: ['read', 'operate'], source: 'ai' });
    const tokens = [reader, robot, person].map((each) => String(each?.['token']));
    const [read = '', ai = '', human = ''] = tokens;
    expect((await request(read, 'GET', '/agents')).status).toBe(200);
    expect((await give(read, 'not allowed')).status).toBe(403);
    for (const [token, text] of [
      [ai, 'from a robot'],
      [human, 'from a person'],
    ] as const) {
      expect((await give(token, text)).status).toBeLessThan(300);
      await waitIdle(ask, 'worker');
    }
    const rows = await history(ask, 'worker');
    expect(rows.find((row) => row['message'] === 'from a robot')).toMatchObject({ source: 'ai' });
    expect(rows.find((row) => row['message'] === 'from a person')).toMatchObject({ source: 'human' });
    expect(rows.map((row) => row['message'])).not.toContain('not allowed');

    const { tokens: listed } = await json('token', 'list');
    expect(listed).toMatchObject([{ name: 'person' }, { name: 'reader' }, { name: 'robot' }]);
    const kept = readdirSync(join(fleet.home, 'tokens')).map((name) =>
      readFileSync(join(fleet.home, 'tokens', name), 'utf8'),
    );
    for (const token of tokens) expect(JSON.stringify([listed, kept])).not.toContain(token);

    await json('token', 'revoke', 'reader');
    expect((await request(read, 'GET', '/agents')).status).toBe(401);
    expect((await request(human, 'GET', '/agents')).status).toBe(200);
    const again = await runFleet(['token', 'create', 'Robot'], { env: fleet.env });
    expect(again).toMatchObject({ code: 4, stdout: '' });
  });
});

describe('fleet audit', () => {
  it('shows every change with who, what, when and through which interface [CLI-audit]', async () => {
    const before = Date.now();
    const set = (value: string): Answer => ({ agent_name: 'worker', key: 'fleet_mcp_by', value });
    await runFleet(['meta', 'set', 'worker', 'fleet_mcp_by', 'terminal'], { env: fleet.env });
    {
      await using client = await stdioClient('SDK v1', fleet.env);
      await client.ask('set_agent_metadata', set('stdio'));
    }
    {
      await using client = await connectClient('SDK v1', served);
      await client.ask('set_agent_metadata', set('mcp'));
    }
    await served.request('PUT', '/api/v1/agents/worker/metadata/fleet_mcp_by', { value: 'http' });
    await served.request('POST', '/api/v1/agents/worker/cancel');
    await ask('start_agent_task', {
      agent_name: 'worker',
      task_description: script({ meta: 'fleet_mcp_by', value: 'self' }, { report: 'said' }),
    });
    await waitIdle(ask, 'worker');
    expect((await logOf(ask, 'worker')).filter((row) => row['level'] === 'WARN')).toEqual([]);

    const rows = ((await json('audit', '--limit', '200'))['rows'] as AuditRow[]).toReversed();
    const since = rows.filter(({ at }) => Date.parse(at) >= before);
    const changes = since.map(({ principal, door, operation, outcome, input }) => {
      const value = (input as Answer)['value'];
      return [principal.replace(/^user:.*/, 'user'), door, operation, outcome, value ?? null];
    });
    // The last ones overlap in time: they are recorded in any order.
    const expected = [
      ['user', 'cli', 'set_agent_metadata', 'ok', 'terminal'],
      ['mcp:stdio', 'mcp-stdio', 'set_agent_metadata', 'ok', 'stdio'],
      ['mcp:http', 'mcp-http', 'set_agent_metadata', 'ok', 'mcp'],
      ['token:default', 'http', 'set_agent_metadata', 'ok', 'http'],
      ['token:default', 'http', 'cancel_agent_task', 'INVALID_INPUT', null],
      ['user', 'cli', 'start_agent_task', 'ok', null],
      ['agent:worker', 'self', 'set_agent_metadata', 'ok', 'self'],
      ['agent:worker', 'self', 'report_task', 'ok', null],
    ];
    const sorted = (lines: readonly unknown[]): string[] =>
      lines.map((line) => JSON.stringify(line)).toSorted();
    expect(sorted(changes)).toEqual(sorted(expected));
    const { stdout } = await runFleet(['audit'], { env: fleet.env });
    for (const word of ['mcp-stdio', 'token:default', 'cancel_agent_task', 'INVALID_INPUT'])
      expect(stdout).toContain(word);
  });
});
