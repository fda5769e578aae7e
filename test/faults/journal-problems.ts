import { isDeepStrictEqual } from 'node:util';
import { EMPTY_STATE, fold } from '../../src/domain/state.ts';
import type { JournalOfStage } from './journals.ts';
import { keyOfTask } from './task-text.ts';

export interface Ran {
  /** What the program of a task wrote down. */
  marks(key: string): readonly string[];
  /** Whether everything is over: then every accepted task has its end. */
  readonly over: boolean;
}

/** What a journal must say whatever was stopped: tasks run at most once, end exactly once, and nothing is made up. */
export function journalProblems({ facts, state, history, workspace_id }: JournalOfStage, ran: Ran): string[] {
  const problems: string[] = [];
  const tasks = new Map<string, { key: string; started: number; ended: string[] }>();
  let generation = 0;
  for (const { body } of facts) {
    if (body.kind === 'task.accepted') {
      if (tasks.has(body.task_id)) problems.push(`task ${body.task_id} was accepted twice`);
      tasks.set(body.task_id, { key: keyOfTask(body.message) ?? '', started: 0, ended: [] });
    }
    if (body.kind === 'runner.started') {
      if (body.generation <= generation)
        problems.push(`generation ${body.generation} came after ${generation}`);
      generation = body.generation;
    }
    if (body.kind !== 'task.started' && body.kind !== 'task.ended') continue;
    const task = tasks.get(body.task_id);
    if (task === undefined) problems.push(`${body.kind} of a task that was never accepted`);
    else if (body.kind === 'task.ended') task.ended.push(body.state);
    else if (task.ended.length > 0) problems.push(`task ${task.key} started after its end`);
    else task.started++;
  }
  for (const [id, { key, started, ended }] of tasks) {
    const marks = ran.marks(key);
    const begun = marks.filter((mark) => mark === 'begun').length;
    const done = marks.filter((mark) => mark === 'done').length;
    if (started > 1) problems.push(`task ${key} started ${started} times`);
    if (begun > started) problems.push(`task ${key} ran ${begun} times and started ${started} times`);
    if (ended.length > 1) problems.push(`task ${key} ended ${ended.length} times: ${ended.join(', ')}`);
    if (ran.over && ended.length === 0) problems.push(`task ${key} never ended`);
    if (ended[0] === 'complete' && done !== 1)
      problems.push(`task ${key} is complete and was done ${done} times`);
    const rows = history.filter((row) => row.id === id);
    const expected = ended[0] ?? (started > 0 ? 'running' : 'queued');
    if (rows.length !== 1 || rows[0]?.state !== expected)
      problems.push(
        `the history says ${rows.map((row) => row.state).join(', ') || 'nothing'} of task ${key}, which is ${expected}`,
      );
  }
  if (!isDeepStrictEqual(facts.reduce(fold, EMPTY_STATE), state))
    problems.push('the state is not what the facts add up to');
  return problems.map((problem) => `journal ${workspace_id.slice(0, 8)}: ${problem}`);
}
