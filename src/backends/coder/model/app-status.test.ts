import { assert, boolean, nat, property, string } from 'fast-check';
import { expect, it } from 'vitest';
import { EMPTY_STATE, type AgentState } from '../../../domain/state.ts';
import { appStatusOf, noteOf } from './app-status.ts';

const ready: AgentState = { ...EMPTY_STATE, seq: 7, phase: 'ready' };

it('fits into what Coder takes, whatever the task is, and cuts no character in two', () => {
  assert(
    property(string({ unit: 'binary', maxLength: 400 }), (last_task) => {
      const status = appStatusOf({ ...ready, last_task }, false);
      expect(Buffer.byteLength(status?.message ?? '')).toBeLessThanOrEqual(160);
      if (!last_task.includes('\uFFFD') && last_task.isWellFormed())
        expect(status?.message).not.toContain('\uFFFD');
    }),
  );
});

it('tells what the fleet can read back', () => {
  const attention = { reason: 'failed', since: '2026-01-01T00:00:00Z' };
  assert(
    property(nat(), nat(5), boolean(), boolean(), (seq, queued, stuck, wants) => {
      const queue = Array.from({ length: queued }, (_, index) => String(index));
      const state = { ...ready, seq, queue, attention: wants ? attention : null };
      const status = appStatusOf(state, stuck);
      expect(noteOf(status?.uri ?? '')).toEqual({
        seq,
        queued,
        stuck,
        failed: false,
        attention: wants || stuck,
      });
      expect(status?.state).toBe(queued > 0 ? 'working' : wants || stuck ? 'failure' : 'idle');
    }),
  );
});

it('says nothing before the agent is ready, and knows its own notes alone', () => {
  expect(appStatusOf({ ...ready, phase: 'starting' }, false)).toBeUndefined();
  expect(appStatusOf({ ...ready, phase: 'failed', phase_reason: 'no program' }, false)).toMatchObject({
    state: 'failure',
    message: 'no program',
  });
  expect(noteOf('https://example.com/pull/1')).toBeUndefined();
});
