import { describe, expect, it } from 'vitest';
import type { Fact, FactBody } from './fact.ts';
import { EMPTY_STATE, fold, stateOf, type AgentState, type Phase } from './state.ts';
import { AT, READY, RUNNING, TESTER } from '../../test/support/state-parts.ts';

describe('the phase of an agent', () => {
  it.each<[Phase, FactBody, Phase, string]>([
    ['pending', { kind: 'agent.admitted' }, 'starting', 'making the workspace'],
    [
      'starting',
      { kind: 'agent.workspace_made', branch: null, base: null },
      'starting',
      'the workspace is made; its set-up and agent are starting',
    ],
    ['starting', { kind: 'agent.ready' }, 'ready', 'ready, no task'],
    ['starting', { kind: 'agent.start_failed', reason: 'no git' }, 'failed', 'no git'],
    ['pending', { kind: 'agent.stop_requested' }, 'canceling', 'asked to stop while pending by user:tester'],
    [
      'starting',
      { kind: 'agent.stop_requested' },
      'canceling',
      'asked to stop while starting by user:tester',
    ],
    ['ready', { kind: 'agent.stop_requested' }, 'stopping', 'asked to stop by user:tester'],
    ['canceling', { kind: 'agent.stopped' }, 'canceled', 'stopped on request of user:tester'],
    ['stopping', { kind: 'agent.stopped' }, 'stopped', 'stopped on request of user:tester'],
    [
      'stopped',
      { kind: 'agent.restart_requested' },
      'pending',
      'restarted by user:tester, waiting for its turn to start',
    ],
    ['ready', { kind: 'agent.deleting' }, 'deleting', 'deleted by user:tester'],
    ['deleting', { kind: 'agent.deleted' }, 'deleted', 'gone'],
    [
      'deleted',
      { kind: 'agent.restored', name: 'sony' },
      'stopped',
      'restored by user:tester; restart_agent starts it',
    ],
  ])('%s, after %o: %s', (phase, body, after, reason) => {
    expect(step({ phase }, body)).toMatchObject({ phase: after, phase_reason: reason });
  });

  it('is not changed by a turn to start that comes too late', () => {
    expect(step({ phase: 'canceling', phase_reason: 'x' }, { kind: 'agent.admitted' })).toMatchObject({
      phase: 'canceling',
      phase_reason: 'x',
    });
  });

  it.each<[Partial<AgentState>, Phase, string, boolean]>([
    [
      { ...READY, running: RUNNING },
      'pending',
      'its runner died; the task continues when it starts again',
      false,
    ],
    [
      { ...READY, queue: ['next'] },
      'pending',
      'its runner died; the queued tasks wait for it to start again',
      false,
    ],
    [READY, 'ready', 'its runner died', true],
    [{ phase: 'pending' }, 'pending', 'its runner died while it was starting', false],
    [{ phase: 'starting' }, 'pending', 'its runner died while it was starting', false],
    [{ phase: 'stopping' }, 'stopped', 'stopped; its runner died on the way', false],
    [{ phase: 'canceling' }, 'canceled', 'canceled; its runner died on the way', false],
    [{ phase: 'failed', phase_reason: 'x' }, 'failed', 'x', false],
    [{ phase: 'deleting', phase_reason: 'x' }, 'deleting', 'x', false],
  ])('%o after its runner died: %s, %s', (state, phase, phase_reason, asleep) => {
    const lost = step({ attended: true, ...state }, { kind: 'runner.lost', generation: 1 });
    expect(lost).toMatchObject({ phase, phase_reason, asleep, attended: false });
  });

  it('is failed after three runners in a row died while it was starting', () => {
    const lost: FactBody = { kind: 'runner.lost', generation: 3 };
    expect(step({ phase: 'starting', lost_starts: 1 }, lost)).toMatchObject({
      phase: 'pending',
      lost_starts: 2,
    });
    const reason = 'its runner died 3 times while it was starting; restart_agent starts it again';
    expect(step({ phase: 'starting', lost_starts: 2 }, lost)).toMatchObject({
      phase: 'failed',
      phase_reason: reason,
      lost_starts: 3,
      attention: { reason, since: AT },
    });
    expect(step({ phase: 'starting', lost_starts: 2 }, { kind: 'agent.ready' }).lost_starts).toBe(0);
    expect(step({ lost_starts: 2 }, { kind: 'agent.restart_requested' }).lost_starts).toBe(0);
  });
});

describe('who runs an agent', () => {
  it('is known from its runners', () => {
    expect(
      step({ asleep: true }, { kind: 'runner.started', generation: 4, pid: 1, version: '1' }),
    ).toMatchObject({ attended: true, asleep: false, generation: 4 });
    expect(step({ attended: true }, { kind: 'runner.slept' })).toMatchObject({
      attended: false,
      asleep: true,
    });
  });

  it.each([
    { kind: 'agent.start_failed', reason: 'x' },
    { kind: 'agent.stopped' },
    { kind: 'agent.restart_requested' },
    { kind: 'agent.deleted' },
    { kind: 'agent.restored', name: 'sony' },
  ] satisfies FactBody[])('is nobody after %o', (body) => {
    expect(step({ attended: true }, body).attended).toBe(false);
  });

  it.each([
    { kind: 'agent.stopped' },
    { kind: 'agent.restart_requested' },
    { kind: 'agent.restored', name: 'sony' },
  ] satisfies FactBody[])('and it does not sleep after %o', (body) => {
    expect(step({ asleep: true }, body).asleep).toBe(false);
  });
});

it('a state that another version wrote gets what it lacks', () => {
  expect(stateOf({ phase: 'ready' })).toEqual({ ...EMPTY_STATE, phase: 'ready' });
  const { acknowledged: _a, resumed: _r, trouble: _t, ...older } = RUNNING;
  expect(stateOf({ running: older as AgentState['running'] }).running).toEqual(RUNNING);
  const newer = { ...RUNNING, resumed: 3 };
  expect(stateOf({ running: newer }).running).toEqual(newer);
});

function step(before: Partial<AgentState>, body: FactBody): AgentState {
  return fold({ ...EMPTY_STATE, ...before }, fact(body));
}

function fact(body: FactBody): Fact {
  return { seq: 1, at: AT, awake_ms: 5, boot: 'boot-1', by: TESTER, body };
}
