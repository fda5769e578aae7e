import { describe, expect, test } from 'vitest';
import type { Caller } from '../../src/domain/principal.ts';
import { LegacySessions } from '../../src/server/relay/legacy-sessions.ts';
import { buildMcpServer } from '../../src/server/mcp/mcp-server.ts';
import { makeTinyFleet } from './tiny-backend.ts';

const CALLER: Caller = {
  principal: { kind: 'mcp', name: 'http' },
  door: 'mcp-http',
  source: 'ai',
  scopes: new Set(['read', 'operate']),
};
const STRANGER: Caller = { ...CALLER, principal: { kind: 'mcp', name: 'other' } };
const HOUR_MS = 60 * 60_000;

function setUp() {
  const { fleet } = makeTinyFleet();
  const time = { now: 0 };
  const sessions = new LegacySessions(
    (caller) => buildMcpServer({ fleet, caller, version: '1.2.3' }),
    () => time.now,
  );
  const send = (message: object, session?: string, caller = CALLER) =>
    sessions.handle(
      new Request('http://localhost/mcp', {
        method: 'POST',
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
        headers: {
          'Content-Type': 'application/json',
          Accept: 'application/json, text/event-stream',
          ...(session === undefined ? {} : { 'Mcp-Session-Id': session }),
        },
      }),
      caller,
    );
  const open = async (): Promise<string> => {
    const params = {
      protocolVersion: '2025-11-25',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const response = await send({ id: 1, method: 'initialize', params });
    await response.text();
    return response.headers.get('mcp-session-id') ?? '';
  };
  const other = (method: 'GET' | 'DELETE', session: string) =>
    sessions.handle(
      new Request('http://localhost/mcp', {
        method,
        headers: { Accept: 'text/event-stream', 'Mcp-Session-Id': session },
      }),
      CALLER,
    );
  return { time, send, open, other };
}

const LIST = { id: 2, method: 'tools/list' };

describe('sessions of the old era', () => {
  test('are opened by initialize, and by nothing else', async () => {
    const { send, open } = setUp();
    const id = await open();
    expect(id).toMatch(/^[0-9a-f-]{36}$/);
    const listed = await send(LIST, id);
    expect(listed.status).toBe(200);
    expect(await listed.text()).toContain('list_agents');
    expect((await send(LIST)).status).toBe(400);
  });

  test('belong to who opened them', async () => {
    const { send, open } = setUp();
    const id = await open();
    expect((await send(LIST, id, STRANGER)).status).toBe(404);
    expect((await send(LIST, 'guess')).status).toBe(404);
  });

  test('end when the client says so', async () => {
    const { send, open, other } = setUp();
    const id = await open();
    expect((await other('DELETE', id)).status).toBe(200);
    expect((await send(LIST, id)).status).toBe(404);
  });

  test('end after an hour without use, unless they are listened to', async () => {
    const { time, send, open, other } = setUp();
    const [idle, used, heard] = [await open(), await open(), await open()];
    const stream = await other('GET', heard);
    expect(stream.status).toBe(200);
    time.now = HOUR_MS;
    await (await send(LIST, used)).text();
    time.now = HOUR_MS + 1;
    expect((await send(LIST, idle)).status).toBe(404);
    expect((await send(LIST, used)).status).toBe(200);
    expect((await send(LIST, heard)).status).toBe(200);
    await stream.body?.cancel();
  });

  test('the least used one makes room when there are a thousand', async () => {
    const { time, send, open } = setUp();
    const first = await open();
    time.now = 1;
    const second = await open();
    for (let count = 2; count < 1_000; count++) await open();
    time.now = 2;
    await (await send(LIST, first)).text();
    await open();
    expect((await send(LIST, second)).status).toBe(404);
    expect((await send(LIST, first)).status).toBe(200);
  });
});
