import { join } from 'node:path';
import { until, waitIdle } from '../../support/fleets/fleet-under-test.ts';
import { journalsOf } from '../journals.ts';
import type { Scenario, Seen } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { keyOfTask } from '../task-text.ts';
import { atRest, NAME } from './bring.ts';
import { expectAnswer, expectTask } from './expect.ts';

/** A task for an agent that speaks ACP. An agent that goes on does a step again whose outcome it does not know: such a
 *  step looks first. */
function sessionTask({ directory }: Stage, key: string, asks = false): string {
  const marks = join(directory, 'marks', key);
  const mark = (word: string): object => ({
    run: `grep -qs ${word} '${marks}' || echo ${word} >> '${marks}'`,
    free: true,
  });
  const script = [mark('begun'), ...(asks ? [{ write: 'asked.txt' }] : []), mark('done'), { say: 'ready' }];
  return `# task ${key}\nSCRIPT:${JSON.stringify(script)}`;
}

async function bringSession(stage: Stage): Promise<void> {
  await stage.ask('create_agent', { project: 'Setup', name: NAME, task: sessionTask(stage, 'first') });
  await waitIdle(stage.ask, NAME);
}

function start(stage: Stage) {
  const task_description = sessionTask(stage, 'given');
  return {
    operation: 'start_agent_task',
    input: { agent_name: NAME, task_description, idempotency_key: 'the-key' },
  };
}

const isKnown = ({ home }: Stage): boolean =>
  journalsOf(home)
    .flatMap(({ facts }) => facts)
    .some(({ body }) => body.kind === 'task.accepted' && keyOfTask(body.message) === 'given');

const isOver = (stage: Stage): boolean => atRest(stage) && isKnown(stage);

/** One session for all that the agent was ever told. */
function sessionProblems({ home }: Stage): string[] {
  const ids = journalsOf(home)
    .flatMap(({ facts }) => facts)
    .flatMap(({ body }) => (body.kind === 'session.opened' ? [body.session_id] : []));
  return new Set(ids).size === 1 ? [] : [`there were ${new Set(ids).size} sessions`];
}

function question({ home }: Stage): string | undefined {
  return journalsOf(home)
    .flatMap(({ facts }) => facts)
    .flatMap(({ body }) => (body.kind === 'approval.asked' ? [body.approval_id] : []))[0];
}

/** Whoever answers second is told that it was answered. */
function answered(seen: Seen): string[] {
  const { again } = seen;
  return again.kind === 'failed' && again.code === 'CONFLICT' ? [] : expectAnswer(again);
}

export const SESSION_SCENARIOS: readonly Scenario[] = [
  ...(['interrupt', 'resume'] as const).map((session): Scenario => {
    const states = session === 'resume' ? ['complete'] : ['complete', 'interrupted'];
    return {
      name: `task of a session, ${session}`,
      interfaces: ['harness'],
      stage: { session },
      setUp: bringSession,
      call: start,
      over: isOver,
      verify: async (stage, { again }) => [
        ...expectAnswer(again),
        ...(await expectTask(stage, 'given', states)),
        ...sessionProblems(stage),
      ],
    };
  }),
  {
    name: 'answer to a session',
    interfaces: ['cli', 'server', 'harness'],
    stage: { session: 'interrupt' },
    setUp: async (stage) => {
      await bringSession(stage);
      const task_description = sessionTask(stage, 'given', true);
      await stage.ask('start_agent_task', { agent_name: NAME, task_description });
      await until(async () => question(stage), Boolean);
    },
    call: (stage) => ({
      operation: 'respond_approval',
      input: { id: question(stage), decision: 'allow' },
    }),
    over: isOver,
    verify: async (stage, seen) => [
      ...answered(seen),
      ...(await expectTask(stage, 'given', ['complete', ...(seen.through === 'cli' ? [] : ['interrupted'])])),
      ...sessionProblems(stage),
    ],
  },
];
