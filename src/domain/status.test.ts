import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factSequence, foldAll } from '../../test/support/fact-sequences.ts';
import type { FactBody } from './fact.ts';
import { EMPTY_STATE, fold, type AgentState } from './state.ts';
import { AGENT_STATUSES, deriveStatus, isOffline, type Instant, type Observation } from './status.ts';

const BASE_AT = 1_800_000_000_000;
const BASE_AWAKE = 1_000_000_000;

/** For what few of the generated looks show. */
const MANY = { numRuns: 500 };

const state = factSequence.map((facts) => foldAll(facts));
const instant = fc.nat({ max: 20_000_000 }).map((ms) => instantAt(BASE_AT + ms));

/** Looks that are near enough to the last fact for time to matter. */
const looks: fc.Arbitrary<[AgentState, Observation, Instant]> = fc
  .tuple(
    factSequence,
    fc.record(
      {
        place: fc.integer({ min: 1, max: 50 }),
        silent_ms: fc.nat({ max: 120_000 }),
        progress_ms: fc.integer({ min: -600_000, max: 600_000 }),
      },
      { requiredKeys: [] },
    ),
    fc.nat({ max: 900_000 }),
  )
  .map(([facts, { place, silent_ms, progress_ms }, ms]) => {
    const last = Date.parse(facts.at(-1)?.at ?? '');
    const observed = {
      ...(place === undefined ? {} : { waiting: { place } }),
      ...(silent_ms === undefined ? {} : { unreachable_since: last + ms - silent_ms }),
      ...(progress_ms === undefined ? {} : { progress: instantAt(last + progress_ms) }),
    };
    return [foldAll(facts), observed, instantAt(last + ms)];
  });

describe('the status of an agent', () => {
  it('is one pure function of facts, observations and the time', () => {
    fc.assert(
      fc.property(looks, ([state, observed, now]) => {
        const copy = structuredClone([state, observed, now] as const);
        const view = deriveStatus(state, observed, now);
        expect(deriveStatus(...copy)).toEqual(view);
        expect([state, observed, now]).toEqual(copy);
      }),
    );
  });

  it('is one of the eleven, and each can be reached [FR-007]', () => {
    fc.assert(
      fc.property(looks, ([state, observed, now]) => {
        expect(AGENT_STATUSES).toContain(deriveStatus(state, observed, now).status);
      }),
    );
    const reached = [
      [],
      [...ADMITTED],
      [...ADMITTED, READY],
      [...ADMITTED, READY, ACCEPTED, STARTED],
      [...ADMITTED, READY, STOP],
      [...ADMITTED, READY, STOP, STOPPED],
      [...ADMITTED, { kind: 'agent.start_failed', reason: 'no program' }],
      [...ADMITTED, STOP],
      [...ADMITTED, STOP, STOPPED],
      [...ADMITTED, READY, { kind: 'agent.deleting' }],
      [...ADMITTED, READY, { kind: 'agent.deleting' }, { kind: 'agent.deleted' }],
    ].map((bodies) => statusAfter(bodies as FactBody[]));
    expect(reached).toEqual(
      'pending starting idle busy stopping stopped failed canceling canceled deleting deleted'.split(' '),
    );
  });

  it('has one line that says why, in every status [AGENT-status-reason]', () => {
    fc.assert(
      fc.property(looks, ([state, observed, now]) => {
        const { status_reason } = deriveStatus(state, observed, now);
        expect(status_reason.trim()).not.toBe('');
        expect(status_reason).not.toMatch(/[\n\r]/);
      }),
      MANY,
    );
  });

  it('is busy exactly while a ready agent has a task that runs or waits', () => {
    fc.assert(
      fc.property(state, instant, (state, now) => {
        const { status } = deriveStatus(state, {}, now);
        const works = state.running !== null || state.queue.length > 0;
        expect(status === 'busy').toBe(state.phase === 'ready' && works);
        expect(status === 'idle').toBe(state.phase === 'ready' && !works);
      }),
    );
  });

  it('has busy_since and perhaps a current task while it is busy, and neither otherwise [AGENT-busy-since]', () => {
    fc.assert(
      fc.property(looks, ([state, observed, now]) => {
        const { status, busy_since, current_task } = deriveStatus(state, observed, now);
        expect([status, busy_since !== null]).toEqual([status, status === 'busy']);
        if (status !== 'busy') expect(current_task).toBeNull();
        else expect(current_task).toBe(state.running?.message ?? null);
      }),
    );
  });

  it('needs a human when it is stuck and nobody has seen it, and is stuck only while it is busy', () => {
    fc.assert(
      fc.property(looks, ([state, observed, now]) => {
        const view = deriveStatus(state, observed, now);
        if (state.attention !== null) expect(view.needs_attention).toBe(true);
        if (!view.stuck) return;
        expect(view.status).toBe('busy');
        const seen = state.running?.acknowledged?.awake_ms ?? Number.NEGATIVE_INFINITY;
        const silentSince = observed.progress?.awake_ms ?? state.running?.started.awake_ms ?? 0;
        expect(view.needs_attention).toBe(state.attention !== null || seen < silentSince);
      }),
    );
  });

  it('stays as it is until the time to look again, and for ever without one [ST-look-again]', () => {
    fc.assert(
      fc.property(looks, fc.double({ min: 0, max: 1, noNaN: true }), ([state, observed, now], share) => {
        const view = deriveStatus(state, observed, now);
        const end = view.look_again_at ?? now.at + 10_000_000_000;
        expect(end).toBeGreaterThan(now.at);
        const between = later(now, Math.floor((end - now.at - 1) * share));
        expect(withoutReason(deriveStatus(state, observed, between))).toEqual({
          ...withoutReason(view),
          look_again_at: view.look_again_at,
        });
        if (view.look_again_at === null || (observed.progress?.awake_ms ?? 0) > now.awake_ms) return;
        if ((state.running?.started.awake_ms ?? 0) > now.awake_ms) return;
        const then = deriveStatus(state, observed, later(now, view.look_again_at - now.at));
        expect(then.status === view.status && then.stuck === view.stuck).toBe(false);
      }),
      MANY,
    );
  });

  it('counts the time to stuck while the machine is awake, whatever the clock on the wall says [AGENT-stuck-awake-time]', () => {
    fc.assert(
      fc.property(fc.nat({ max: 600_000 }), fc.integer({ min: -1e12, max: 1e12 }), (awake, jump) => {
        const running = foldBodies([...ADMITTED, READY, ACCEPTED, STARTED]);
        const now = { at: BASE_AT + jump, awake_ms: BASE_AWAKE + awake, boot: 'boot-1' };
        expect(deriveStatus(running, {}, now).stuck).toBe(awake >= 300_000);
      }),
    );
  });

  it('is not stuck when there was a sign of life within the limit', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5_000_000 }), fc.nat({ max: 600_000 }), (shown, silent) => {
        const running = foldBodies([...ADMITTED, READY, ACCEPTED, STARTED]);
        const progress = { at: BASE_AT + shown, awake_ms: BASE_AWAKE + shown, boot: 'boot-1' };
        expect(deriveStatus(running, { progress }, later(progress, silent)).stuck).toBe(silent >= 300_000);
      }),
    );
  });

  it('counts on after the machine was started again', () => {
    const running = foldBodies([...ADMITTED, READY, ACCEPTED, STARTED]);
    const after = (ms: number) => ({ at: BASE_AT + ms, awake_ms: 5, boot: 'boot-2' });
    expect(deriveStatus(running, {}, after(299_999)).stuck).toBe(false);
    expect(deriveStatus(running, {}, after(300_000)).stuck).toBe(true);
  });

  it('is failed with the reason once the runner has been silent for 60 s [FR-010]', () => {
    const running = foldBodies([...ADMITTED, READY, ACCEPTED, STARTED]);
    const look = (ms: number) =>
      deriveStatus(
        running,
        { unreachable_since: BASE_AT },
        { at: BASE_AT + ms, awake_ms: BASE_AWAKE, boot: 'boot-1' },
      );
    expect(look(59_999)).toMatchObject({ status: 'busy', look_again_at: BASE_AT + 60_000 });
    expect(look(60_000)).toMatchObject({ status: 'failed', needs_attention: true });
    expect(look(60_000).status_reason).toContain(new Date(BASE_AT).toISOString());
  });

  it('counts these as offline: stopping, stopped, failed, canceling, canceled, deleting, deleted', () => {
    expect(AGENT_STATUSES.filter((status) => !isOffline(status))).toEqual([
      'pending',
      'starting',
      'busy',
      'idle',
    ]);
  });
});

const CREATED: FactBody = {
  kind: 'agent.created',
  name: 'sony',
  project: 'Setup',
  role: 'coder',
  stuck_after_ms: 300_000,
};
const ADMITTED: readonly FactBody[] = [
  { kind: 'runner.started', generation: 1, pid: 1, version: '1' },
  { kind: 'agent.admitted' },
];
const READY: FactBody = { kind: 'agent.ready' };
const STOP: FactBody = { kind: 'agent.stop_requested' };
const STOPPED: FactBody = { kind: 'agent.stopped' };
const ACCEPTED: FactBody = {
  kind: 'task.accepted',
  task_id: 't1',
  message: 'do it',
  source: 'human',
  front: false,
};
const STARTED: FactBody = { kind: 'task.started', task_id: 't1', message: 'do it' };

function foldBodies(bodies: readonly FactBody[]): AgentState {
  const stamp = { at: new Date(BASE_AT).toISOString(), awake_ms: BASE_AWAKE, boot: 'boot-1' };
  const by = { principal: 'user:tester', door: 'cli' } as const;
  return [CREATED, ...bodies].reduce(
    (state, body) => fold(state, { ...stamp, by, seq: state.seq + 1, body }),
    EMPTY_STATE,
  );
}

function statusAfter(bodies: readonly FactBody[]): string {
  const now = { at: BASE_AT, awake_ms: BASE_AWAKE, boot: 'boot-1' };
  return deriveStatus(foldBodies(bodies), {}, now).status;
}

function instantAt(at: number): Instant {
  return { at, awake_ms: at - BASE_AT + BASE_AWAKE, boot: 'boot-1' };
}

function later(now: Instant, ms: number): Instant {
  return { at: now.at + ms, awake_ms: now.awake_ms + ms, boot: now.boot };
}

/** The words count up; what they stand for must not change. */
function withoutReason(view: ReturnType<typeof deriveStatus>) {
  return { ...view, status_reason: '' };
}
