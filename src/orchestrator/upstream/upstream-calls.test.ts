import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryChannel } from '../../../test/support/fleets/memory-channel.ts';
import { mcpServerSchema } from '../../config/mcp-server-schema.ts';
import { LIMITS } from '../servers/mcp-connection.ts';
import { defineServer } from '../servers/server-definition.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';
import type { Connection } from './connection.ts';
import { UpstreamCalls } from './upstream-calls.ts';
import { UpstreamErrors } from './upstream-errors.ts';

const SECOND = 1_000;
const DONE = { content: [{ type: 'text', text: 'done' }] };

let channel: MemoryChannel;
let calls: UpstreamCalls;
let lost: string[];
beforeEach(() => {
  vi.useFakeTimers();
  channel = new MemoryChannel();
  lost = [];
  calls = makeCalls();
});
afterEach(() => void vi.useRealTimers());

/** A call, and what became of it. */
function call(more: Partial<UpstreamRequest> = {}) {
  const seen: { result?: unknown; failed?: unknown } = {};
  void calls.make({ method: 'tools/call', params: { name: 'work' }, owner: 'test', ...more }).then(
    (result) => (seen.result = result),
    (failed: unknown) => (seen.failed = failed),
  );
  return seen;
}

/** The id under which the newest request was sent. */
const newest = (): unknown => channel.sent.findLast(({ method }) => method === 'tools/call')?.['id'];
const progress = (): void =>
  channel.say({ method: 'notifications/progress', params: { progressToken: newest(), progress: 1 } });

describe('a call of an upstream tool', () => {
  it('without progress ends after 30 s', async () => {
    const seen = call();
    await vi.advanceTimersByTimeAsync(30 * SECOND - 1);
    expect(seen).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.failed).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'TOOL_EXECUTION_TIMEOUT' },
      message: expect.stringContaining('no response for 30000 ms') as string,
    });
    expect(channel.sent.at(-1)).toMatchObject({
      method: 'notifications/cancelled',
      params: { requestId: newest() },
    });
  });

  it('goes on while it makes progress, up to a hard maximum [ORCH-call-timeout]', async () => {
    const seen = call();
    for (let passed = 0; passed < 580; passed += 29) {
      await vi.advanceTimersByTimeAsync(29 * SECOND);
      progress();
    }
    await vi.advanceTimersByTimeAsync(20 * SECOND - 1);
    expect(seen).toEqual({});
    await vi.advanceTimersByTimeAsync(1);
    expect(seen.failed).toMatchObject({
      details: { reason: 'TOOL_EXECUTION_TIMEOUT' },
      message: expect.stringContaining('longer than 600000 ms') as string,
    });
  });

  it('that was given up may be answered late: the next one has its own answer', async () => {
    const late = call();
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    const id = newest();
    const next = call();
    await vi.advanceTimersByTimeAsync(0);
    channel.say({ id, result: { content: [] } });
    channel.say({ id: newest(), result: DONE });
    await vi.advanceTimersByTimeAsync(0);
    expect(late.result).toBeUndefined();
    expect(next).toEqual({ result: DONE });
  });

  it('that is safe to repeat is repeated once, 3 s after the server was lost, and no other', async () => {
    const repeated = call({ repeatable: true });
    const other = call();
    await vi.advanceTimersByTimeAsync(0);
    const before = channel;
    channel = new MemoryChannel();
    before.ended('its program ended');
    await vi.advanceTimersByTimeAsync(2_999);
    expect(other.failed).toMatchObject({ details: { reason: 'AGENT_UNAVAILABLE' } });
    expect(channel.sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    expect(channel.sent).toHaveLength(1);
    channel.ended('its program ended again');
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(repeated.failed).toMatchObject({
      message: expect.stringContaining('its program ended again') as string,
      details: { reason: 'AGENT_UNAVAILABLE' },
    });
    expect(lost).toEqual(['its program ended', 'its program ended', 'its program ended again']);
  });

  it('that is canceled is not repeated', async () => {
    const leaving = new AbortController();
    const seen = call({ repeatable: true, signal: leaving.signal });
    await vi.advanceTimersByTimeAsync(0);
    channel.ended('its program ended');
    await vi.advanceTimersByTimeAsync(SECOND);
    leaving.abort(new Error('left'));
    await vi.advanceTimersByTimeAsync(60 * SECOND);
    expect(seen.failed).toMatchObject({ message: 'left' });
    expect(channel.sent).toHaveLength(1);
  });

  it('may ask its user, who may take longer than the call may be silent', async () => {
    const answered = Promise.withResolvers<object>();
    const seen = call({ onQuestion: () => answered.promise.then((answer) => ({ ...answer })) });
    await vi.advanceTimersByTimeAsync(29 * SECOND);
    channel.say({ id: 'q', method: 'elicitation/create', params: { message: 'Which colour?' } });
    await vi.advanceTimersByTimeAsync(3_600 * SECOND);
    expect(seen).toEqual({});
    answered.resolve({ action: 'accept' });
    await vi.advanceTimersByTimeAsync(0);
    expect(channel.sent.at(-1)).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'accept' } });
    channel.say({ id: newest(), result: DONE });
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual({ result: DONE });
  });

  it('whose user has answered has as much time as any other', async () => {
    const seen = call({ onQuestion: async () => ({ action: 'decline' }) });
    await vi.advanceTimersByTimeAsync(0);
    channel.say({ id: 'q', method: 'elicitation/create', params: {} });
    await vi.advanceTimersByTimeAsync(30 * SECOND);
    expect(seen.failed).toMatchObject({ details: { reason: 'TOOL_EXECUTION_TIMEOUT' } });
  });
});

/** Calls of a server that is connected by the newest channel. */
function makeCalls(): UpstreamCalls {
  const connections = new WeakMap<MemoryChannel, Connection>();
  const entry = { ...mcpServerSchema.parse({ command: 'lab' }), missing_variables: [] };
  const definition = defineServer('lab', entry, { directory: '/', env: {} });
  const made = new UpstreamCalls({
    limits: LIMITS,
    errors: new UpstreamErrors(definition, (text) => text),
    connected: () => {
      const known =
        connections.get(channel) ??
        channel.connect((received, signal) => made.questions.ask(received, signal));
      connections.set(channel, known);
      return known;
    },
    onLost: (_connection, reason) => lost.push(reason),
    onBusy: () => {},
  });
  return made;
}
