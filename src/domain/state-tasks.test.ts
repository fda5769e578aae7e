import { describe, expect, it } from 'vitest';
import type { Fact, FactBody } from './fact.ts';
import type { Actor } from './principal.ts';
import { EMPTY_STATE, fold, type AgentState, type OpenApproval } from './state.ts';
import { AT, INSTANT, READY, RUNNING, TESTER } from '../../test/support/state-parts.ts';

const FLEET: Actor = { principal: 'fleet:fleet', door: 'fleet' };
const ATTENTION = { reason: 'help', since: AT };

describe('the running task', () => {
  it('leaves the queue when it starts', () => {
    const started = step(
      { queue: ['task', 'next'] },
      { kind: 'task.started', task_id: 'task', message: 'the work' },
    );
    expect(started).toMatchObject({ queue: ['next'], running: RUNNING });
  });

  it('is canceled by its id only', () => {
    const cancel = (task_id: string) =>
      step({ running: RUNNING }, { kind: 'task.cancel_requested', task_id }).running;
    expect(cancel('task')).toEqual({ ...RUNNING, cancel_requested: true });
    expect(cancel('other')).toEqual(RUNNING);
    expect(step({}, { kind: 'task.cancel_requested', task_id: 'task' }).running).toBeNull();
  });

  it('counts how often it went on, with a new start', () => {
    const running = { ...RUNNING, resumed: 1, started: { at: 0, awake_ms: 0, boot: 'before' } };
    expect(step({ running }, { kind: 'task.resumed', task_id: 'task' }).running).toEqual({
      ...RUNNING,
      resumed: 2,
    });
    expect(step({}, { kind: 'task.resumed', task_id: 'task' }).running).toBeNull();
  });

  it('has the trouble of its last turn until it uses a tool again', () => {
    const retried: FactBody = { kind: 'turn.retried', task_id: 'task', reason: 'overloaded', attempt: 1 };
    expect(step({}, retried).running).toBeNull();
    const troubled = step({ running: RUNNING }, retried);
    expect(troubled.running?.trouble).toBe('overloaded');
    const opened: FactBody = { kind: 'tool.opened', call_id: 'c', tool: 'Bash' };
    expect(fold(troubled, fact(opened)).running).toEqual(RUNNING);
    expect(step({}, opened)).toMatchObject({ running: null, calls: [{ id: 'c', tool: 'Bash' }] });
  });

  it('ends with its questions, calls and quota, and says how', () => {
    const before: Partial<AgentState> = {
      ...READY,
      running: RUNNING,
      queue: ['next'],
      approvals: [approval('a')],
      calls: [{ id: 'c', tool: 'Bash' }],
      parked: { reason: 'quota', until: null },
    };
    const ended: FactBody = {
      kind: 'task.ended',
      task_id: 'task',
      state: 'complete',
      reason: 'done',
      output: 'yes',
    };
    expect(step(before, ended)).toMatchObject({
      running: null,
      queue: ['next'],
      approvals: [],
      calls: [],
      parked: null,
      last_end: { state: 'complete', result: 'yes' },
      over_budget: null,
      phase_reason: 'the last task ended: complete',
      attention: null,
    });
    const over = { tokens: 5, cost: 1 };
    expect(step(before, { ...ended, over_budget: over }).over_budget).toEqual(over);
    expect(step({ ...before, phase: 'stopping', phase_reason: 'x' }, ended).phase_reason).toBe('x');
  });

  it('goes on when a queued task ends', () => {
    const ended: FactBody = { kind: 'task.ended', task_id: 'next', state: 'canceled', reason: 'x' };
    expect(step({ ...READY, running: RUNNING, queue: ['next'] }, ended)).toMatchObject({
      running: RUNNING,
      queue: [],
      last_end: null,
    });
  });
});

describe('attention', () => {
  const end = (state: 'failed' | 'interrupted' | 'complete'): FactBody => ({
    kind: 'task.ended',
    task_id: 'task',
    state,
    reason: 'because',
  });

  it('is needed after a failure, and after an interruption that nobody asked for', () => {
    const before: Partial<AgentState> = { ...READY, running: RUNNING };
    expect(step(before, end('failed')).attention).toEqual({ reason: 'because', since: AT });
    expect(step(before, end('complete')).attention).toBeNull();
    expect(step(before, end('interrupted'), FLEET).attention).toEqual({ reason: 'because', since: AT });
    expect(step(before, end('interrupted'), TESTER).attention).toBeNull();
    expect(step({ ...before, phase: 'stopping' }, end('failed')).attention).toBeNull();
  });

  it('is needed after a start that failed, and a report of a failure', () => {
    expect(step({}, { kind: 'agent.start_failed', reason: 'no git' }).attention).toEqual({
      reason: 'no git',
      since: AT,
    });
    const report = (state: 'failure' | 'working'): FactBody => ({
      kind: 'report',
      report_id: 'r',
      message: 'said',
      uri: null,
      state,
    });
    expect(step({}, report('failure'))).toMatchObject({
      last_task: 'said',
      attention: { reason: 'said', since: AT },
    });
    expect(step({}, report('working'))).toMatchObject({ last_task: 'said', attention: null });
  });

  it('ends with an acknowledgement, which is of the running task and its questions too', () => {
    const before = { attention: ATTENTION, running: RUNNING, approvals: [approval('a')] };
    expect(step(before, { kind: 'agent.acknowledged' })).toMatchObject({
      attention: null,
      running: { ...RUNNING, acknowledged: INSTANT },
      approvals: [{ ...approval('a'), seen: true }],
    });
    expect(step({}, { kind: 'agent.acknowledged' }).running).toBeNull();
  });

  it('ends with the next task', () => {
    const accepted: FactBody = {
      kind: 'task.accepted',
      task_id: 't',
      message: 'm',
      source: 'human',
      front: true,
    };
    const before = { attention: ATTENTION, approvals: [approval('a')], queue: ['next'] };
    expect(step(before, accepted)).toMatchObject({
      attention: null,
      approvals: [{ ...approval('a'), seen: true }],
      queue: ['t', 'next'],
      last_task: 'm',
    });
  });

  it('ends with a restart, unless the budget is used up', () => {
    const restart: FactBody = { kind: 'agent.restart_requested' };
    expect(step({ attention: ATTENTION }, restart).attention).toBeNull();
    const over_budget = { tokens: 5, cost: 1 };
    expect(step({ attention: ATTENTION, over_budget }, restart).attention).toEqual(ATTENTION);
  });
});

describe('questions, calls, usage and quota', () => {
  it('a question waits until it is answered or closed', () => {
    const asked = step({ asked: 2, approvals: [approval('a')] }, asks('permission'));
    expect(asked).toMatchObject({
      asked: 3,
      approvals: [
        approval('a'),
        { id: 'b', seq: 1, what: 'asks for permission: Bash', asked_at: AT, expires_at: null, seen: false },
      ],
    });
    expect(step({}, asks('question')).approvals[0]?.what).toBe('asks a question: Bash');
    const answer = { decision: 'allow', option: null, answer: null, note: null } as const;
    const answered: FactBody = { kind: 'approval.answered', approval_id: 'a', ...answer };
    const closed: FactBody = { kind: 'approval.closed', approval_id: 'b', reason: 'expired' };
    expect(fold(asked, fact(answered)).approvals.map(({ id }) => id)).toEqual(['b']);
    expect(fold(asked, fact(closed)).approvals.map(({ id }) => id)).toEqual(['a']);
  });

  it('a call is open until it ends', () => {
    const calls = [
      { id: 'a', tool: 'Bash' },
      { id: 'b', tool: 'Read' },
    ];
    const ended: FactBody = { kind: 'tool.ended', call_id: 'a', state: 'completed' };
    expect(step({ calls }, ended).calls).toEqual([{ id: 'b', tool: 'Read' }]);
  });

  it('what tasks used is added up', () => {
    const used: FactBody = { kind: 'usage', tokens: 5, cost: 0.5 };
    const once = step({}, used);
    expect(once.usage).toEqual({ tokens: 5, cost: 0.5 });
    expect(fold(once, fact(used)).usage).toEqual({ tokens: 10, cost: 1 });
  });

  it('a session and a lack of quota are remembered', () => {
    expect(step({}, { kind: 'session.opened', session_id: 's', how: 'new' }).session).toBe('s');
    const parked = step({}, { kind: 'agent.parked', reason: 'quota', until: AT });
    expect(parked.parked).toEqual({ reason: 'quota', until: AT });
    expect(fold(parked, fact({ kind: 'agent.unparked' })).parked).toBeNull();
  });
});

function step(before: Partial<AgentState>, body: FactBody, by: Actor = TESTER): AgentState {
  return fold({ ...EMPTY_STATE, ...before }, fact(body, by));
}

function fact(body: FactBody, by: Actor = TESTER): Fact {
  return { seq: 1, at: AT, awake_ms: 5, boot: 'boot-1', by, body };
}

function approval(id: string): OpenApproval {
  return { id, seq: 1, what: 'asks', asked_at: AT, expires_at: null, seen: false };
}

function asks(kind: 'permission' | 'question'): FactBody {
  const question = { kind, tool: 'Bash', input: {}, options: [] };
  return { kind: 'approval.asked', approval_id: 'b', question, expires_at: null };
}
