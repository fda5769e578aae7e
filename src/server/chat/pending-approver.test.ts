import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { ApprovalRequesterParts } from '../../orchestrator/calls/approval-requester.ts';
import type { ApprovalQuestion } from '../../session/tools/approver.ts';
import { PendingApprover } from './pending-approver.ts';

type Approvals = ApprovalRequesterParts['approvals'];

const QUESTION: ApprovalQuestion = {
  tool: 'delete_agent',
  arguments: { agent_name: 'sony' },
  effect: ['Deletes sony.'],
  unusual: false,
};
const MINUTE = 60_000;

let verdict: ReturnType<Approvals['ask']>;
let settled: string[];
let shown: string[];
let approver: PendingApprover;
beforeEach(() => {
  vi.useFakeTimers();
  verdict = { state: 'open', approval: { id: 'a1' } };
  settled = [];
  shown = [];
  approver = new PendingApprover({
    approvals: {
      ask: () => verdict,
      announce: () => 'a1',
      settle: (_call, decision) => void settled.push(decision),
      withdraw: () => {},
    },
    asked_by: 'session:chat',
    onAsked: (id) => shown.push(id),
    onQuestion: (id) => shown.push(id),
  });
});
afterEach(() => void vi.useRealTimers());

const signal = new AbortController().signal;

describe('a pending approval of the session', () => {
  it('is shown once, and waits for the answer of a person', async () => {
    const answer = approver.ask(QUESTION, signal);
    await vi.advanceTimersByTimeAsync(9 * MINUTE);
    verdict = {
      state: 'allowed',
      answered_by: 'user:me',
      answer: { option: 'allow', decision: 'allow', answer: null, note: null },
    };
    await vi.advanceTimersByTimeAsync(250);
    expect(await answer).toEqual({ allowed: true });
    expect([shown, settled]).toEqual([['a1'], []]);
  });

  it('that is denied says what the person noted', async () => {
    verdict = { state: 'denied', note: 'not today' };
    expect(await approver.ask(QUESTION, signal)).toEqual({
      allowed: false,
      reason: 'A person did not allow delete_agent: not today.',
    });
    expect(shown).toEqual([]);
  });

  it('is closed when nobody answers within ten minutes', async () => {
    const answer = approver.ask(QUESTION, signal);
    await vi.advanceTimersByTimeAsync(10 * MINUTE);
    expect(settled).toEqual([]);
    await vi.advanceTimersByTimeAsync(500);
    expect(await answer).toEqual({ allowed: false, reason: 'The approval of delete_agent timed out.' });
    expect(settled).toEqual(['deny']);
  });

  it('is closed when the session no longer waits for it', async () => {
    const leaving = new AbortController();
    const answer = approver.ask(QUESTION, leaving.signal);
    const failed = expect(answer).rejects.toThrow('left');
    await vi.advanceTimersByTimeAsync(MINUTE);
    leaving.abort(new Error('left'));
    await failed;
    expect(settled).toEqual(['deny']);
    expect(vi.getTimerCount()).toBe(0);
  });
});

it('a question of a server that nobody answers is declined as one that was never asked', async () => {
  const question = { tool: 'lab__ask', message: 'Which colour?', schema: {} };
  const answer = approver.answer(question, signal);
  await vi.advanceTimersByTimeAsync(11 * MINUTE);
  expect(await answer).toEqual({
    action: 'decline',
    reason: 'The question of lab__ask timed out.',
    unasked: true,
  });
});
