import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { JsonObject } from '../../wire/json-rpc.ts';
import { HeldCalls } from './held-calls.ts';
import type { RelayClient } from './relay-client.ts';

const FORM = { message: 'Which colour?', requestedSchema: { type: 'object' } };

let held: HeldCalls;
beforeEach(() => {
  vi.useFakeTimers();
  held = new HeldCalls();
});
afterEach(() => void vi.useRealTimers());

function client(name = 'one', capabilities: JsonObject = { elicitation: {} }): RelayClient {
  return {
    caller: {
      principal: { kind: 'token', name },
      door: 'mcp-http',
      source: 'ai',
      scopes: new Set(['operate']),
    },
    era: 'modern',
    capabilities,
    signal: new AbortController().signal,
    tell: () => {},
  };
}

/** A server asks after the call has reached it. */
const reached = async (): Promise<void> => {};

/** A call whose server asks so many questions, and answers with what it was told. */
function asking(questions: number, from = client()): Promise<JsonObject> {
  return held.run(from, async (_signal, ask) => {
    await reached();
    const answers: unknown[] = [];
    for (let count = 0; count < questions; count++)
      answers.push(await ask('elicitation/create', FORM, from.signal));
    return { answers };
  });
}

const answering = (asked: JsonObject, answer: object): JsonObject => ({
  name: 'lab__ask',
  requestState: asked['requestState'],
  inputResponses: { question: answer },
});

describe('a call whose server asks in the middle', () => {
  it('is answered with the question, and goes on with each answer until it ends', async () => {
    const first = await asking(2);
    expect(first).toMatchObject({
      resultType: 'input_required',
      inputRequests: { question: { method: 'elicitation/create', params: FORM } },
    });
    const second = await held.resume(answering(first, { action: 'accept' }), client());
    expect(second).toMatchObject({ resultType: 'input_required' });
    const last = await held.resume(answering(second ?? {}, { action: 'decline' }), client());
    expect(last).toEqual({ answers: [{ action: 'accept' }, { action: 'decline' }] });
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is canceled when nobody answers for ten minutes, and cannot be answered then', async () => {
    const ended = vi.fn();
    const from = client();
    const asked = await held.run(from, async (_signal, ask) => {
      await reached();
      const answer = await ask('elicitation/create', FORM, from.signal);
      ended(answer);
      return answer;
    });
    await vi.advanceTimersByTimeAsync(10 * 60_000 - 1);
    expect(ended).not.toHaveBeenCalled();
    await vi.advanceTimersByTimeAsync(1);
    expect(ended).toHaveBeenCalledWith({ action: 'cancel' });
    expect(() => held.resume(answering(asked, { action: 'accept' }), from)).toThrow(
      expect.objectContaining({ code: 'CONFLICT' }),
    );
  });

  it('is answered by its own caller alone, and once', async () => {
    const asked = await asking(1);
    const answer = answering(asked, { action: 'accept' });
    expect(() => held.resume(answer, client('another'))).toThrow(
      expect.objectContaining({ code: 'CONFLICT' }),
    );
    expect(await held.resume(answer, client())).toEqual({ answers: [{ action: 'accept' }] });
    expect(() => held.resume(answer, client())).toThrow(expect.objectContaining({ code: 'CONFLICT' }));
  });

  it('is refused the question when its client cannot be asked', async () => {
    await expect(asking(1, client('one', {}))).rejects.toMatchObject({ code: -32_601 });
    await expect(asking(1, client('one', { sampling: {} }))).rejects.toMatchObject({ code: -32_601 });
  });
});

it('a call without the state of a held one is a call of its own', () => {
  expect(held.resume({ name: 'lab__ask' }, client())).toBeUndefined();
  expect(held.resume({ name: 'lab__ask', requestState: 'of-the-server' }, client())).toBeUndefined();
});
