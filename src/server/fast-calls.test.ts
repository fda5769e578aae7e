import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it } from 'vitest';
import type { ToolRelay } from '../orchestrator/calls/tool-relay.ts';
import { FastCalls, type FastCallsParts } from './fast-calls.ts';
import { Authenticator } from './http/auth.ts';
import { Gate } from './http/gate.ts';
import { LegacySessions } from './relay/legacy-sessions.ts';
import { Metrics } from './metrics.ts';

const CALL = {
  jsonrpc: '2.0',
  id: 1,
  method: 'tools/call',
  params: {
    name: 'echo__echo',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
    },
  },
};
const HEADERS = {
  Authorization: 'Bearer secret',
  Accept: 'application/json, text/event-stream',
  'Content-Type': 'application/json',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'echo__echo',
  'MCP-Protocol-Version': '2026-07-28',
};

it('a call is answered the short way, and goes the long way when too many are answered already', async () => {
  const called = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<object>();
  const relay: Pick<ToolRelay, 'knows' | 'call'> = {
    knows: () => true,
    call: async () => {
      called.resolve();
      return { content: [await answered.promise] };
    },
  };
  await using served = await serve(relay as ToolRelay);
  const first = served.post();
  await called.promise;
  const refused = await served.post();
  expect([refused.status, await refused.text()]).toEqual([429, 'the long way']);
  answered.resolve({ type: 'text', text: 'done' });
  expect(await (await first).json()).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: { content: [{ type: 'text', text: 'done' }] },
  });
});

/** With room for one call at a time. */
async function serve(relay: ToolRelay) {
  const parts: FastCallsParts = {
    relay,
    sessions: new LegacySessions(() => {
      throw new Error('no session is opened here');
    }),
    authenticator: new Authenticator({ token: 'secret' }),
    gate: new Gate(1),
    metrics: new Metrics(),
    own: { hosts: [] },
    shutdown: new AbortController().signal,
  };
  const fast = new FastCalls(parts);
  const server = createServer((incoming, outgoing) => {
    const slow = (): Response => new Response('the long way', { status: 429 });
    fast.answer(incoming, outgoing, slow).catch(() => outgoing.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    post: () =>
      fetch(`http://127.0.0.1:${port}/mcp`, { method: 'POST', headers: HEADERS, body: JSON.stringify(CALL) }),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
