import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Caller } from '../../src/domain/principal.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { startServer } from '../../src/server/serve.ts';
import { serveMcpStdio } from '../../src/server/stdio/stdio.ts';
import { initialize, modern, type Message } from './raw-mcp.ts';
import { CLIENT_KINDS, connectClient, type ClientKind } from '../support/mcp-clients.ts';
import { makeTinyFleet, type TinyFleet } from './tiny-backend.ts';

const CALLER: Caller = {
  principal: { kind: 'mcp', name: 'stdio' },
  door: 'mcp-stdio',
  source: 'ai',
  scopes: new Set(['read', 'operate']),
};
const WAIT = { timeout_seconds: 3600 };

/** A fleet that knows how many wait in it: the agent is busy for ever. */
function setUp(): TinyFleet {
  const tiny = makeTinyFleet();
  tiny.backend.addAgent('papi');
  tiny.backend.setBusy('papi', 'a long task');
  return tiny;
}

const waiting = ({ events }: TinyFleet, count: number) =>
  expect.poll(() => events.waiting, { timeout: 30_000 }).toBe(count);

describe('a wait that its client cancels', () => {
  test.each(CLIENT_KINDS)('ends in the server, over HTTP with %s [MCP-cancellation]', async (kind) => {
    const tiny = setUp();
    await using client = await connectOverHttp(kind, tiny);
    const stop = new AbortController();
    const canceled = client.call('wait_for_agents', WAIT, { signal: stop.signal });
    const other = client.call('wait_for_agents', WAIT);
    await waiting(tiny, 2);
    stop.abort();
    await expect(canceled).rejects.toThrow();
    await waiting(tiny, 1);
    tiny.backend.change('papi', { running: null });
    expect((await other).structuredContent).toMatchObject({ timed_out: false });
  });

  test.each([
    ['2025-11-25', [initialize(), { method: 'notifications/initialized' }]],
    ['2026-07-28', []],
  ] as const)('ends in the server, on stdio of %s [MCP-cancellation]', async (version, greeting) => {
    const tiny = setUp();
    const wire = overStdio(tiny);
    const request = (id: number): Message =>
      version === '2026-07-28'
        ? { ...modern('tools/call', 'wait_for_agents', WAIT), id }
        : { id, method: 'tools/call', params: { name: 'wait_for_agents', arguments: WAIT } };
    wire.send(...greeting, request(7), request(8));
    await waiting(tiny, 2);
    const { params = {} } = version === '2026-07-28' ? modern('notifications/cancelled') : {};
    wire.send({ method: 'notifications/cancelled', params: { ...params, requestId: 7 } });
    await waiting(tiny, 1);
    tiny.backend.change('papi', { running: null });
    const answered = (await wire.end()).filter(({ id }) => id === 7 || id === 8);
    expect(answered).toMatchObject([{ id: 8, result: { structuredContent: { timed_out: false } } }]);
  });
});

describe('progress', () => {
  test.each(CLIENT_KINDS)('comes before the result that follows it at once, to %s', async (kind) => {
    await using client = await connectOverHttp(kind, setUp());
    for (let round = 0; round < 20; round++) {
      await client.ask('create_agent', { project: 'Setup', task: 'Nothing', name: 'brief' });
      const seen: (string | undefined)[] = [];
      const onprogress = ({ message }: { message?: string | undefined }) => void seen.push(message);
      await client.call('delete_agent', { agent_name: 'brief' }, { onprogress });
      expect(seen).toEqual(['removing the workspace']);
    }
  });
});

async function connectOverHttp(kind: ClientKind, { fleet }: TinyFleet) {
  const authenticator = new Authenticator({ token: 'good' });
  const server = await startServer({ fleet, authenticator, version: '1.2.3' });
  onTestFinished(() => server.close());
  return connectClient(kind, { mcp_url: server.mcp_url, token: 'good' });
}

function overStdio({ fleet }: TinyFleet) {
  const [stdin, stdout] = [new PassThrough(), new PassThrough({ encoding: 'utf8' })];
  let text = '';
  stdout.on('data', (chunk: string) => (text += chunk));
  const served = serveMcpStdio({ fleet, caller: CALLER, version: '1.2.3', streams: { stdin, stdout } });
  return {
    send: (...messages: readonly Message[]) => {
      for (const message of messages) stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    },
    end: async (): Promise<Message[]> => {
      stdin.end();
      await served;
      stdout.end();
      await once(stdout, 'end');
      return text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as Message);
    },
  };
}
