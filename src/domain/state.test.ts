import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factSequence, foldAll } from '../../test/support/fact-sequences.ts';
import type { Fact } from './fact.ts';
import { EMPTY_STATE, fold, needsHuman, type AgentState } from './state.ts';
import { deriveStatus } from './status.ts';

const LONG_AGO = { at: 0, awake_ms: 0, boot: 'boot-1' };

describe('what facts add up to', () => {
  it('is the same from any snapshot on, also one that was written down', () => {
    fc.assert(
      fc.property(factSequence, fc.nat(), (facts, at) => {
        const cut = at % (facts.length + 1);
        const snapshot = JSON.parse(JSON.stringify(foldAll(facts.slice(0, cut)))) as AgentState;
        expect(foldAll(facts.slice(cut), snapshot)).toEqual(foldAll(facts));
      }),
    );
  });

  it('leaves the state before as it was', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        let state: AgentState = Object.freeze({ ...EMPTY_STATE });
        for (const fact of facts) {
          const before = structuredClone(state);
          const after = fold(state, fact);
          expect(state).toEqual(before);
          expect(after.seq).toBe(fact.seq);
          state = after;
        }
      }),
    );
  });

  it('has every accepted task once: in the queue, running or ended', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        const { queue, running } = foldAll(facts);
        const open = [...queue, ...(running === null ? [] : [running.id])];
        const gone = new Set(idsOf(facts, 'task.ended'));
        expect(open.toSorted()).toEqual(
          idsOf(facts, 'task.accepted')
            .filter((id) => !gone.has(id))
            .toSorted(),
        );
      }),
    );
  });

  it('puts a task at the end of the queue, or in front of it when it interrupts', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        eachStep(facts, (before, fact, after) => {
          if (fact.body.kind !== 'task.accepted') return;
          const { task_id, front } = fact.body;
          expect(after.queue).toEqual(front ? [task_id, ...before.queue] : [...before.queue, task_id]);
        });
      }),
    );
  });

  it('has the newest task or report as last_task, and null before there is one [AGENT-last-task]', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        const messages = facts.flatMap(({ body }) =>
          body.kind === 'task.accepted' || body.kind === 'report' ? [body.message] : [],
        );
        expect(foldAll(facts).last_task).toBe(messages.at(-1) ?? null);
      }),
    );
  });

  it('moves updated_at with a change of status, task or metadata and with nothing else [AGENT-updated-at]', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        eachStep(facts, (before, fact, after) => {
          // A wish to cancel may count as a change of the task or not.
          if (fact.body.kind === 'task.cancel_requested') return;
          const moves =
            /^(task\.|report$|metadata\.|agent\.created$)/.test(fact.body.kind) ||
            statusOf(before) !== statusOf(after);
          expect([fact.body.kind, after.updated_at]).toEqual([
            fact.body.kind,
            moves ? fact.at : before.updated_at,
          ]);
        });
      }),
    );
  });

  it('asks for a human after a failure until the next task, a restart or an acknowledgement', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        eachStep(facts, (before, fact, after) => {
          const { kind } = fact.body;
          if (kind === 'task.accepted' || kind === 'agent.acknowledged' || kind === 'agent.restart_requested')
            expect(after.attention).toBeNull();
          else if (kind === 'agent.start_failed' || (before.phase === 'ready' && needsHuman(fact)))
            expect(after.attention).not.toBeNull();
          else if (before.attention !== null) expect(after.attention).not.toBeNull();
        });
      }),
    );
  });

  it('gives up an agent whose runner dies three times before it is ready, and not sooner', () => {
    const stamp = { at: '2027-01-01T00:00:00.000Z', awake_ms: 0, boot: 'boot-1' };
    const by = { principal: 'fleet:fleet', door: 'fleet' } as const;
    let state = EMPTY_STATE;
    const phases = [1, 2, 3].map((generation) => {
      state = fold(state, {
        ...stamp,
        by,
        seq: state.seq + 1,
        body: { kind: 'runner.started', generation, pid: 1, version: '1' },
      });
      state = fold(state, { ...stamp, by, seq: state.seq + 1, body: { kind: 'runner.lost', generation } });
      return state.phase;
    });
    expect(phases).toEqual(['pending', 'pending', 'failed']);
    expect(state.attention?.reason).toContain('restart_agent');
  });
});

function eachStep(
  facts: readonly Fact[],
  check: (before: AgentState, fact: Fact, after: AgentState) => void,
): void {
  let state = EMPTY_STATE;
  for (const fact of facts) {
    const after = fold(state, fact);
    check(state, fact, after);
    state = after;
  }
}

function idsOf(facts: readonly Fact[], kind: 'task.accepted' | 'task.ended'): string[] {
  return facts.flatMap(({ body }) => (body.kind === kind ? [body.task_id] : []));
}

function statusOf(state: AgentState): string {
  return deriveStatus(state, {}, LONG_AGO).status;
}
