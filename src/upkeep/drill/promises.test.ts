import { describe, expect, it } from 'vitest';
import type { FactBody } from '../../domain/fact.ts';
import { emptyNotebook, type Evidence } from './evidence.ts';
import { judge } from './promises.ts';

const started = (task_id: string): FactBody => ({ kind: 'task.started', task_id, message: '' });
const ended = (task_id: string): FactBody => ({
  kind: 'task.ended',
  task_id,
  state: 'complete',
  reason: '',
});

const GOOD: Evidence = {
  accepted: [
    { agent_name: 'rio', task_id: '1', mark: 'one' },
    { agent_name: 'rio', task_id: '2', mark: 'two' },
  ],
  started: ['one', 'two'],
  looks: [{ what: 'a task', expected: 'failed', seen: 'failed' }],
  agentRaces: [{ what: 'tasks', outcomes: ['CONFLICT', 'ok', 'CONFLICT'] }],
  nameRaces: [{ what: 'names', outcomes: ['ok', 'CONFLICT'] }],
  lists: [['rio', 'elm']],
  repetitions: [{ key: 'k', task_ids: ['1', '1'] }],
  agents: [{ name: 'rio', history: ['2', '1'], facts: [started('1'), ended('1'), started('2'), ended('2')] }],
  processes: [{ when: 'at the end', left: [] }],
  kept: [{ what: 'a file', expected: 'text', seen: 'text' }],
  failures: [],
};

const broken = (evidence: Partial<Evidence>): string[] =>
  judge({ ...GOOD, ...evidence }).flatMap((each) => (each.held ? [] : [each.promise]));

const rio = (change: Partial<Evidence['agents'][number]>): Partial<Evidence> => ({
  agents: GOOD.agents.map((agent) => ({ ...agent, ...change })),
});

describe('the promises of a drill', () => {
  it('all hold when nothing is wrong', () => {
    expect(broken({})).toEqual([]);
  });

  it('hold none when nothing was seen', () => {
    const judgements = judge(emptyNotebook());
    expect(judgements.filter(({ held }) => held)).toEqual([]);
    expect(judgements.map((each) => each.broken)).toEqual(
      judgements.map(() => ['the drill saw no case of it']),
    );
  });

  it.each<[string, string, Partial<Evidence>]>([
    ['every request was answered as it should', 'a failure', { failures: ['no answer'] }],
    [
      'every accepted task ended exactly once',
      'a task without an end',
      rio({ facts: [started('1'), ended('1'), started('2')] }),
    ],
    [
      'every accepted task ended exactly once',
      'a task with two ends',
      rio({ facts: [...(GOOD.agents[0]?.facts ?? []), ended('2')] }),
    ],
    ['no task ran twice', 'a mark twice', { started: ['one', 'two', 'one'] }],
    ['no task ran twice', 'a mark of a task that was refused', { started: ['one', 'two', 'three'] }],
    ['no task ran twice', 'a complete task that never ran', { started: ['one'] }],
    [
      'no task ran twice',
      'a journal with two starts',
      rio({ facts: [...(GOOD.agents[0]?.facts ?? []), started('2')] }),
    ],
    [
      'a repeated request did nothing twice',
      'two tasks for one key',
      { repetitions: [{ key: 'k', task_ids: ['1', '2'] }] },
    ],
    [
      'the history is complete, and has nothing that was not asked for',
      'a task that is missing',
      rio({ history: ['1'] }),
    ],
    [
      'the history is complete, and has nothing that was not asked for',
      'a task that was never submitted',
      rio({ history: ['3', '2', '1'] }),
    ],
    [
      'the history is complete, and has nothing that was not asked for',
      'a task twice',
      rio({ history: ['2', '2', '1'] }),
    ],
    [
      'the next look was correct',
      'another status',
      { looks: [{ what: 'it', expected: 'idle', seen: 'busy' }] },
    ],
    [
      'of all who wanted one agent, one got it',
      'two winners',
      { agentRaces: [{ what: 'it', outcomes: ['ok', 'ok'] }] },
    ],
    [
      'of all who wanted one agent, one got it',
      'no winner',
      { agentRaces: [{ what: 'it', outcomes: ['CONFLICT'] }] },
    ],
    [
      'of all who wanted one agent, one got it',
      'another error',
      { agentRaces: [{ what: 'it', outcomes: ['ok', 'INTERNAL_ERROR'] }] },
    ],
    ['names are unique', 'two winners', { nameRaces: [{ what: 'it', outcomes: ['ok', 'ok'] }] }],
    ['names are unique', 'a name in two spellings', { lists: [['rio', 'Rio']] }],
    [
      'work of deleted agents is kept',
      'a lost file',
      { kept: [{ what: 'it', expected: 'text', seen: 'no such file' }] },
    ],
    ['no process was left behind', 'a process', { processes: [{ when: 'at the end', left: [42] }] }],
  ])('"%s" is broken by %s, and no other', (promise, _, evidence) => {
    expect(broken(evidence)).toEqual([promise]);
  });
});
