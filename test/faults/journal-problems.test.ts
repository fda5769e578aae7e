import { describe, expect, it } from 'vitest';
import type { FactBody } from '../../src/domain/fact.ts';
import { FLEET_ACTOR } from '../../src/domain/principal.ts';
import { EMPTY_STATE, fold } from '../../src/domain/state.ts';
import type { HistoryRow } from '../../src/domain/task.ts';
import { journalProblems } from './journal-problems.ts';

const ACCEPTED: FactBody = {
  kind: 'task.accepted',
  task_id: 't',
  message: '# task t',
  source: 'human',
  front: false,
};
const STARTED: FactBody = { kind: 'task.started', task_id: 't', message: '# task t' };
const ENDED: FactBody = { kind: 'task.ended', task_id: 't', state: 'complete', reason: '' };

/** What a journal of these facts is found to be. */
function problems(
  bodies: readonly FactBody[],
  marks: readonly string[],
  state: HistoryRow['state'] = 'complete',
): string {
  const stamp = { at: new Date(0).toISOString(), awake_ms: 0, boot: '', by: FLEET_ACTOR };
  const facts = bodies.map((body, index) => ({ ...stamp, seq: index + 1, body }));
  const row = { id: 't', state } as HistoryRow;
  const journal = {
    workspace_id: 'w',
    archived: true,
    facts,
    state: facts.reduce(fold, EMPTY_STATE),
    history: [row],
  };
  return journalProblems(journal, { marks: () => marks, over: true }).join('\n');
}

describe('what is found wrong in a journal', () => {
  it('is nothing when each task ran and ended once', () => {
    expect(problems([ACCEPTED, STARTED, ENDED], ['begun', 'done'])).toBe('');
    expect(problems([ACCEPTED, { ...ENDED, state: 'canceled' }], [], 'canceled')).toBe('');
  });

  it.each([
    ['an end that is missing', [ACCEPTED, STARTED], ['begun'], 'never ended'],
    ['an end too many', [ACCEPTED, STARTED, ENDED, ENDED], ['begun', 'done'], 'ended 2 times'],
    ['a second acceptance', [ACCEPTED, ACCEPTED, STARTED, ENDED], ['begun', 'done'], 'accepted twice'],
    ['a second start', [ACCEPTED, STARTED, STARTED, ENDED], ['begun', 'done'], 'started 2 times'],
    ['a second run', [ACCEPTED, STARTED, ENDED], ['begun', 'done', 'begun'], 'ran 2 times'],
    ['a run that nobody started', [ACCEPTED, ENDED], ['begun', 'done'], 'ran 1 times'],
    ['an end of what nobody accepted', [ENDED], [], 'never accepted'],
    ['an end that is made up', [ACCEPTED, STARTED, ENDED], ['begun'], 'was done 0 times'],
  ] as const)('is %s', (_, bodies, marks, expected) => {
    expect(problems(bodies, marks)).toContain(expected);
  });
});
