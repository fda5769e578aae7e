import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { MemoryChannel } from '../../../test/support/memory-channel.ts';
import { mcpServerSchema } from '../../config/mcp-server-schema.ts';
import { LIMITS } from '../servers/mcp-connection.ts';
import { defineServer } from '../servers/server-definition.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';
import { UpstreamCalls } from './upstream-calls.ts';
import { UpstreamErrors } from './upstream-errors.ts';

const SECOND = 1_000;
const DONE = { content: [{ type: 'text', text: 'done' }] };

let channel: MemoryChannel;
let calls: UpstreamCalls;
beforeEach(() => {
  vi.useFakeTimers();
  channel = new MemoryChannel();
  calls = callsOver(channel);
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

function callsOver(over: MemoryChannel): UpstreamCalls {
  const connection = over.connect((received, signal) => made.questions.ask(received, signal));
  const entry = { ...mcpServerSchema.parse({ command: 'lab' }), missing_variables: [] };
  const definition = defineServer('lab', entry, { directory: '/', env: {} });
  const made = new UpstreamCalls({
    limits: LIMITS,
    errors: new UpstreamErrors(definition, (text) => text),
    connected: () => connection,
    onLost: () => {},
    onBusy: () => {},
  });
  return made;
}
