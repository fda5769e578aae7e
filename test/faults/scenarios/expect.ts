import { agentOf, history, type Answer } from '../../support/fleets/fleet-under-test.ts';
import type { Outcome } from '../interfaces.ts';
import { journalsOf } from '../journals.ts';
import type { Stage } from '../stage.ts';
import { keyOfTask } from '../task-text.ts';
import { NAME } from './bring.ts';

/** The task must be in the history once, in one of these states. */
export async function expectTask(stage: Stage, key: string, states: readonly string[]): Promise<string[]> {
  const rows = (await history(stage.ask, NAME)).filter((row) => keyOfTask(String(row['message'])) === key);
  const [row] = rows;
  if (rows.length !== 1) return [`the task ${key} is in the history ${rows.length} times`];
  const state = String(row?.['state']);
  if (states.includes(state)) return [];
  return [
    `the task ${key} is ${state} (${reasonOf(stage, String(row?.['id']))}), not ${states.join(' or ')}`,
  ];
}

function reasonOf({ home }: Stage, id: string): string | undefined {
  return journalsOf(home)
    .flatMap(({ facts }) => facts)
    .flatMap(({ body }) => (body.kind === 'task.ended' && body.task_id === id ? [body.reason] : []))[0];
}

export async function expectStatus(stage: Stage, status: RegExp): Promise<string[]> {
  const agent = await agentOf(stage.ask, NAME);
  return status.test(agent.status)
    ? []
    : [`${NAME} is ${agent.status} (${agent.status_reason}), not ${status.source}`];
}

/** The call was answered; with what it was answered. */
export function expectAnswer(outcome: Outcome, check: (answer: Answer) => string[] = () => []): string[] {
  switch (outcome.kind) {
    case 'answered':
      return check(outcome.answer);
    case 'failed':
      return [`the call failed with ${outcome.code}: ${outcome.message}`];
    case 'cut':
      return ['the call was not answered'];
  }
}

/** Whatever both calls were answered, it is one and the same thing. */
export function expectSame(outcomes: readonly Outcome[], idOf: (answer: Answer) => unknown): string[] {
  const ids = outcomes.flatMap((outcome) => (outcome.kind === 'answered' ? [idOf(outcome.answer)] : []));
  return new Set(ids).size <= 1 ? [] : [`the calls were answered ${ids.join(' and ')}`];
}

export function taskIdIn(answer: Answer): unknown {
  return (answer['task'] as Answer)['id'];
}
