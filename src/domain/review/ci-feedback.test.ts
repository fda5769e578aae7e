import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  feedbackStep,
  NO_FEEDBACK,
  type Feedback,
  type FeedbackState,
  type FeedbackStep,
} from './ci-feedback.ts';
import { feedbackTask } from './feedback-task.ts';

const failed = (...names: string[]) => names.map((name) => ({ name, url: null, output: `${name} broke` }));
const remark = (id: string) => ({ id, author: 'ada', path: 'a.ts', line: 3, text: `remark ${id}` });
const feedback = (more: Partial<Feedback> = {}): Feedback => ({
  commit: 'c1',
  pending: false,
  failed: [],
  remarks: [],
  ...more,
});

/** One look after the other. */
function steps(...looks: readonly Feedback[]): readonly FeedbackStep[] {
  let state: FeedbackState = NO_FEEDBACK;
  return looks.map((look) => {
    const step = feedbackStep(look, state);
    ({ state } = step);
    return step;
  });
}
const kinds = (...looks: readonly Feedback[]): readonly string[] => steps(...looks).map(({ kind }) => kind);

describe('feedback of a pull request', () => {
  it('gives each set of failures of a commit once, in whatever order they are listed', () => {
    const look = feedback({ failed: failed('tests', 'lint') });
    expect(kinds(look, look, feedback({ failed: failed('lint', 'tests') }))).toEqual([
      'task',
      'none',
      'none',
    ]);
    expect(kinds(look, { ...look, commit: 'c2' })).toEqual(['task', 'task']);
    expect(kinds(look, feedback({ failed: failed('tests') }))).toEqual(['task', 'task']);
  });

  it('waits while a check runs, because more may fail', () => {
    const look = feedback({ failed: failed('tests'), pending: true });
    expect(kinds(look, { ...look, pending: false })).toEqual(['none', 'task']);
  });

  it('asks a person after three sets in a row, once for each further one', () => {
    const looks = ['c1', 'c2', 'c3', 'c4', 'c4', 'c5'].map((commit) =>
      feedback({ commit, failed: failed('tests') }),
    );
    expect(kinds(...looks)).toEqual(['task', 'task', 'task', 'attention', 'none', 'attention']);
  });

  it('counts again after checks that pass, and after a new remark of a person', () => {
    const fails = (commit: string, more: Partial<Feedback> = {}) =>
      feedback({ commit, failed: failed('tests'), ...more });
    const three = ['c1', 'c2', 'c3'].map((commit) => fails(commit));
    expect(kinds(...three, feedback({ commit: 'c4' }), fails('c5'))).toEqual([
      'task',
      'task',
      'task',
      'none',
      'task',
    ]);
    expect(kinds(...three, fails('c4', { remarks: [remark('1')] }), fails('c5')).slice(3)).toEqual([
      'task',
      'task',
    ]);
  });

  it('gives each remark once, whatever commit comes after it', () => {
    const [one, two, three] = steps(
      feedback({ remarks: [remark('1')] }),
      feedback({ commit: 'c2', remarks: [remark('1')] }),
      feedback({ commit: 'c3', remarks: [remark('1'), remark('2')] }),
    );
    expect([one?.kind, two?.kind, three?.kind]).toEqual(['task', 'none', 'task']);
    expect(three?.remarks.map(({ id }) => id)).toEqual(['2']);
    expect(three?.failed).toEqual([]);
  });

  it('has nothing more to say of what it has just said', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const look = fc.record({
      commit: fc.constantFrom('c1', 'c2'),
      pending: fc.boolean(),
      failed: fc.uniqueArray(name).map((names) => failed(...names)),
      remarks: fc.uniqueArray(name).map((ids) => ids.map(remark)),
    });
    fc.assert(
      fc.property(fc.array(look, { minLength: 1, maxLength: 8 }), (looks) => {
        const last = looks.at(-1) ?? feedback();
        expect(kinds(...looks, last).at(-1)).toBe('none');
        for (const { kind, failed: new_failed } of steps(...looks))
          if (kind === 'attention') expect(new_failed).not.toEqual([]);
      }),
    );
  });
});

it('is a task with the end of each log, and each remark with its place', () => {
  const long = `${'x'.repeat(100_000)}the end`;
  const text = feedbackTask('https://forge/pulls/1', {
    failed: [{ name: 'tests', url: 'https://forge/run/1', output: long }],
    remarks: [remark('1'), { ...remark('2'), path: null, line: null }],
  });
  expect(text).toContain('https://forge/pulls/1');
  expect(text).toContain('tests (https://forge/run/1)\n…');
  expect(text).toContain('the end');
  expect(text).toContain('ada on a.ts:3:\nremark 1');
  expect(text).toContain('ada:\nremark 2');
  expect(text.length).toBeLessThan(10_000);
});
