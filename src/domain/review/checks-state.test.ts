import { describe, expect, it } from 'vitest';
import { FLEET_ACTOR as FLEET } from '../principal.ts';
import { AT, READY, RUNNING, TESTER } from '../../../test/support/state-parts.ts';
import type { Fact, FactBody } from '../fact.ts';
import { EMPTY_STATE, fold, stateOf, type AgentState } from '../state.ts';
import { deriveStatus } from '../status.ts';
import { failingReason, mayHandBack, NO_RUN } from './checks-state.ts';

const DONE: Partial<AgentState> = {
  ...READY,
  checks: NO_RUN,
  last_end: { state: 'complete', result: null },
};
const STARTED: FactBody = { kind: 'checks.started', commit: 'c1', names: ['tests', 'lint'] };
const PASSED: FactBody = { kind: 'checks.ended', commit: 'c1', state: 'passing', failed: [] };
const FAILED: FactBody = {
  kind: 'checks.ended',
  commit: 'c1',
  state: 'failing',
  failed: ['tests'],
  fingerprint: 'tests 1',
};
const HANDED: FactBody = { ...FAILED, task_id: 'retry' };
const RETRY: FactBody = {
  kind: 'task.accepted',
  task_id: 'retry',
  message: 'fix it',
  source: 'agent',
  front: false,
};
const ASKED: FactBody = { ...RETRY, task_id: 'more', source: 'human' };

function after(from: Partial<AgentState>, ...bodies: readonly FactBody[]): AgentState {
  return bodies.map(fact).reduce(fold, { ...EMPTY_STATE, ...from });
}

function fact(body: FactBody, index: number): Fact {
  const by = body.kind === 'task.accepted' ? TESTER : FLEET;
  return { seq: index + 1, at: AT, awake_ms: 0, boot: 'boot', by, body };
}

describe('an agent with checks', () => {
  it('has not run them before the first time, and is told from one without by its runner', () => {
    const started: FactBody = { kind: 'runner.started', generation: 1, pid: 1, version: '1' };
    expect(after({}, started).checks).toBeNull();
    expect(after({}, { ...started, checks: true }).checks).toEqual(NO_RUN);
    expect(after(DONE, PASSED, { ...started, checks: true }).checks).toMatchObject({ state: 'passing' });
    expect(after(DONE, PASSED, { ...started, checks: false }).checks).toBeNull();
    expect(after(DONE, PASSED, started).checks).toMatchObject({ state: 'passing' });
  });

  it('runs them, and says so while it is idle', () => {
    const running = after(DONE, STARTED);
    expect(running.checks).toMatchObject({ commit: 'c1', state: 'running', failed: [] });
    expect(deriveStatus(running, {}, { at: 0, awake_ms: 0, boot: 'boot' })).toMatchObject({
      status: 'idle',
      needs_attention: false,
      status_reason: expect.stringMatching(/; its checks are running$/) as string,
    });
    expect(after(DONE, STARTED, PASSED).checks).toMatchObject({ commit: 'c1', state: 'passing' });
  });

  it('lacks them in a state that an older version wrote', () => {
    const { checks: _, ...older } = EMPTY_STATE;
    expect(stateOf(older).checks).toBeNull();
    expect(after(older, STARTED, FAILED).checks).toMatchObject({ state: 'failing' });
  });

  it('has not run them when its runner slept or died meanwhile', () => {
    for (const body of [{ kind: 'runner.slept' }, { kind: 'runner.lost', generation: 1 }] as const) {
      const { checks } = after(DONE, STARTED, body);
      expect(checks).toMatchObject({ commit: 'c1', state: 'not_run', cut_off: true });
      expect(after(DONE, PASSED, body).checks).toMatchObject({ state: 'passing', cut_off: false });
    }
  });
});

describe('an agent that reports done while its checks fail', () => {
  it('needs attention until they pass, the next task is accepted, or somebody has seen it', () => {
    const failing = after(DONE, STARTED, FAILED);
    expect(failing.attention).toEqual({
      reason: 'reported done, checks failing: tests',
      since: AT,
      of: 'checks',
    });
    expect(after(failing, STARTED).attention).not.toBeNull();
    expect(after(failing, PASSED).attention).toBeNull();
    expect(after(failing, ASKED).attention).toBeNull();
    expect(after(failing, { kind: 'agent.acknowledged' }).attention).toBeNull();
  });

  it('keeps another reason for attention', () => {
    const attention = { reason: 'help', since: AT };
    expect(after({ ...DONE, attention }, FAILED).attention).toEqual(attention);
    expect(after({ ...DONE, attention }, PASSED).attention).toEqual(attention);
  });

  it('does not when it works, has more to do, did not complete, or gets the failure back', () => {
    for (const from of [
      { running: RUNNING },
      { queue: ['next'] },
      { last_end: { state: 'failed', result: null } },
      { last_end: null },
      { phase: 'stopped' },
    ] as const)
      expect(after({ ...DONE, ...from }, FAILED).attention).toBeNull();
    expect(after(DONE, HANDED).attention).toBeNull();
    expect(after(DONE, { ...PASSED, state: 'not_run' }).attention).toBeNull();
  });
});

describe('failing checks go back to the agent', () => {
  it('at most so often in a row', () => {
    const failure = { commit: 'c9', fingerprint: 'x' };
    const once = after(DONE, HANDED, RETRY);
    expect(once.checks).toMatchObject({ retried: 1 });
    expect(mayHandBack(once.checks, 1, failure)).toBe(false);
    expect(mayHandBack(once.checks, 2, failure)).toBe(true);
    expect(mayHandBack(null, 0, failure)).toBe(false);
    expect(mayHandBack(null, 1, failure)).toBe(true);
  });

  it('again after they passed, or after somebody else asked for more', () => {
    expect(after(DONE, HANDED, RETRY, FAILED).checks).toMatchObject({ retried: 1 });
    expect(after(DONE, HANDED, RETRY, PASSED).checks).toMatchObject({ retried: 0 });
    expect(after(DONE, HANDED, ASKED).checks).toMatchObject({ retried: 0 });
  });

  it('never twice for the same failure of the same commit', () => {
    const { checks } = after(DONE, HANDED, RETRY, ASKED);
    expect(mayHandBack(checks, 3, { commit: 'c1', fingerprint: 'tests 1' })).toBe(false);
    expect(mayHandBack(checks, 3, { commit: 'c1', fingerprint: 'tests 2' })).toBe(true);
    expect(mayHandBack(checks, 3, { commit: 'c2', fingerprint: 'tests 1' })).toBe(true);
  });

  it('and a person is told how often', () => {
    expect(failingReason({ failed: ['a', 'b'] }, 0)).toBe('reported done, checks failing: a, b');
    expect(failingReason({ failed: ['a'] }, 1)).toMatch(/\(after 1 retry\)$/);
    expect(failingReason({ failed: ['a'] }, 2)).toMatch(/\(after 2 retries\)$/);
  });
});
