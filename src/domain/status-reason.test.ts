import { describe, expect, it } from 'vitest';
import { EMPTY_STATE, type AgentState, type OpenApproval, type RunningTask } from './state.ts';
import { deriveStatus, type Observation } from './status.ts';

const NOW = { at: 1_800_000_000_000, awake_ms: 1_000_000, boot: 'boot-1' };
const AT = new Date(NOW.at).toISOString();
const SINCE = `task task is running since ${AT}`;
const RUNNING: RunningTask = {
  id: 'task',
  message: 'the work',
  started_at: AT,
  started: NOW,
  cancel_requested: false,
  acknowledged: null,
  resumed: 0,
  trouble: null,
};
const ATTENTION = { reason: 'it failed', since: AT };

describe('the reason of a status', () => {
  it.each<[Partial<AgentState>, Observation, string]>([
    [{ phase: 'pending', phase_reason: 'accepted' }, {}, 'accepted'],
    [
      { phase: 'pending', phase_reason: 'accepted' },
      { waiting: { place: 3 } },
      'accepted; place 3 in the queue',
    ],
    [
      { phase: 'pending', phase_reason: 'accepted' },
      { waiting: { place: 1, why: 'little memory' } },
      'accepted; place 1 in the queue: little memory',
    ],
    [{ phase: 'starting', phase_reason: 'making' }, { waiting: { place: 3 } }, 'making'],
    [{ phase_reason: 'ready, no task' }, {}, 'ready, no task'],
    [{ asleep: true }, {}, 'asleep; the next task wakes it'],
    [{ phase_reason: 'two\nlines ' }, {}, 'two lines'],
    [{ queue: ['a', 'b'] }, {}, '2 queued, the next is about to start'],
    [
      { queue: ['a'] },
      { waiting: { place: 2 } },
      '1 queued, waiting for its turn to start; place 2 in the queue',
    ],
    [{ phase_reason: 'ready', attention: ATTENTION }, {}, 'ready; needs attention: it failed'],
    [
      { phase_reason: 'ready', over_budget: { tokens: 1, cost: 0 } },
      {},
      'ready; the last task went over its budget, and the next one is refused unless the budget was raised since',
    ],
    [{ running: RUNNING }, {}, SINCE],
    [{ running: RUNNING, calls: [{ id: 'c', tool: 'Bash' }] }, {}, `uses Bash; ${SINCE}`],
    [{ running: { ...RUNNING, trouble: 'overloaded' } }, {}, `trying again after: overloaded; ${SINCE}`],
    [
      { running: RUNNING, parked: { reason: 'no quota', until: null } },
      {},
      `parked until you acknowledge it: no quota; ${SINCE}`,
    ],
    [
      { running: RUNNING, parked: { reason: 'no quota', until: 'noon' } },
      {},
      `parked until noon: no quota; ${SINCE}`,
    ],
    [{ running: RUNNING, approvals: [asks('a')] }, {}, `asks (a); ${SINCE}`],
    [{ running: RUNNING, approvals: [asks('a'), asks('b')] }, {}, `asks (a, and 1 more); ${SINCE}`],
    [{ running: RUNNING, attention: ATTENTION }, {}, `${SINCE}; needs attention: it failed`],
  ])('%o, seen with %o: %s', (state, observed, reason) => {
    expect(view(state, observed).status_reason).toBe(reason);
  });
});

describe('the reason for attention', () => {
  it.each<[string, Partial<AgentState>, string | null]>([
    ['nothing', { running: RUNNING }, null],
    ['a failure', { attention: ATTENTION }, 'it failed'],
    [
      'a question before a failure',
      { running: RUNNING, approvals: [asks('a')], attention: ATTENTION },
      'asks (a)',
    ],
    [
      'a question that nobody has seen',
      { running: RUNNING, approvals: [{ ...asks('a'), seen: true }, asks('b')] },
      'asks (b)',
    ],
    ['a question that was seen', { running: RUNNING, approvals: [{ ...asks('a'), seen: true }] }, null],
    ['no quota', { running: RUNNING, parked: { reason: 'no quota', until: null } }, 'no quota'],
    [
      'a question of an agent that stopped',
      { phase: 'stopped', approvals: [asks('a')], attention: ATTENTION },
      'it failed',
    ],
    [
      'a lack of quota of an agent that stopped',
      { phase: 'stopped', parked: { reason: 'no quota', until: null }, attention: ATTENTION },
      'it failed',
    ],
    [
      'silence',
      { running: { ...RUNNING, started: ago(300_000) }, stuck_after_ms: 300_000, attention: ATTENTION },
      'no progress for more than 300 s',
    ],
  ])('is of %s', (_, state, reason) => {
    const { attention_reason, needs_attention } = view(state);
    expect([attention_reason, needs_attention]).toEqual([reason, reason !== null]);
  });
});

describe('an agent is stuck', () => {
  const limit = { stuck_after_ms: 300_000 };
  const silent = { ...RUNNING, started: ago(300_000) };

  it('when its task has been silent for the limit, and says for how long', () => {
    expect(view({ ...limit, running: { ...RUNNING, started: ago(299_999) } })).toMatchObject({
      stuck: false,
      look_again_at: NOW.at + 1,
    });
    expect(view({ ...limit, running: silent })).toMatchObject({
      stuck: true,
      needs_attention: true,
      look_again_at: null,
      status_reason: 'task task has shown no progress for 300 s (limit 300 s)',
    });
    expect(view({ ...limit, running: silent }, { progress: ago(1_000) }).stuck).toBe(false);
  });

  it('not while it asks or has no quota', () => {
    for (const state of [{ approvals: [asks('a')] }, { parked: { reason: 'no quota', until: null } }])
      expect(view({ ...limit, running: silent, ...state })).toMatchObject({
        stuck: false,
        look_again_at: null,
      });
  });

  it('and needs nobody once somebody has seen it, until it gives a sign of life', () => {
    const long = { ...RUNNING, started: ago(900_000) };
    const seen = { ...limit, running: { ...long, acknowledged: ago(310_000) } };
    expect(view(seen)).toMatchObject({ stuck: true, needs_attention: false });
    expect(view(seen, { progress: ago(320_000) })).toMatchObject({ stuck: true, needs_attention: false });
    expect(view(seen, { progress: ago(305_000) })).toMatchObject({ stuck: true, needs_attention: true });
  });

  it('by the time that the machine was awake, or the wall clock after it started again', () => {
    const asleep = { ...ago(300_000), awake_ms: NOW.awake_ms - 1_000 };
    expect(view({ ...limit, running: { ...RUNNING, started: asleep } }).stuck).toBe(false);
    const before = { ...ago(300_000), boot: 'boot-0', awake_ms: NOW.awake_ms };
    expect(view({ ...limit, running: { ...RUNNING, started: before } }).stuck).toBe(true);
    const progress = { ...ago(299_000), awake_ms: 0 };
    expect(view({ ...limit, running: { ...RUNNING, started: before } }, { progress }).stuck).toBe(true);
    const older = { ...ago(310_000), boot: 'boot-0' };
    const restarted = { ...limit, running: { ...RUNNING, started: ago(1_000) } };
    expect(view(restarted, { progress: older }).stuck).toBe(false);
  });
});

it('an agent whose runner does not answer is failed after a minute', () => {
  const since = NOW.at - 59_999;
  for (const phase of ['ready', 'pending', 'starting'] as const) {
    expect(view({ phase }, { unreachable_since: since })).toMatchObject({ look_again_at: NOW.at + 1 });
    expect(view({ phase }, { unreachable_since: since - 1 })).toMatchObject({
      status: 'failed',
      status_reason: `its runner has not answered since ${new Date(since - 1).toISOString()}`,
      needs_attention: true,
      look_again_at: null,
    });
  }
  const busy = { running: RUNNING, stuck_after_ms: 300_000 };
  expect(view(busy, { unreachable_since: since }).look_again_at).toBe(NOW.at + 1);
  expect(view({ phase: 'stopped' }, { unreachable_since: 0 }).status).toBe('stopped');
});

function view(state: Partial<AgentState>, observed: Observation = {}) {
  return deriveStatus({ ...EMPTY_STATE, phase: 'ready', ...state }, observed, NOW);
}

function ago(ms: number) {
  return { at: NOW.at - ms, awake_ms: NOW.awake_ms - ms, boot: NOW.boot };
}

function asks(id: string): OpenApproval {
  return { id, seq: 1, what: 'asks', asked_at: AT, expires_at: null, seen: false };
}
