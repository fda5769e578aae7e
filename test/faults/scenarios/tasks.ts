import { journalsOf } from '../journals.ts';
import type { Scenario, Seen } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { keyOfTask, taskText } from '../task-text.ts';
import { atRest, bringAsleep, bringBusy, bringIdle, hasRunner, NAME } from './bring.ts';
import { expectAnswer, expectSame, expectTask, taskIdIn } from './expect.ts';

const KEY = 'the-key';

/** What may become of a task that was running: only a runner that died interrupts it. */
export function endsOf({ through }: Seen, ...others: string[]): string[] {
  return ['complete', ...others, ...(through === 'cli' ? [] : ['interrupted'])];
}

function start(stage: Stage, input: { when_busy?: string } = {}) {
  const task_description = taskText(stage.directory, 'given');
  return {
    operation: 'start_agent_task',
    input: { agent_name: NAME, task_description, idempotency_key: KEY, ...input },
  };
}

/** The repeated call finds the same task, which is there once and has its end. */
async function given(stage: Stage, seen: Seen): Promise<string[]> {
  return [
    ...expectAnswer(seen.again),
    ...expectSame([seen.first, seen.again], taskIdIn),
    ...(await expectTask(stage, 'given', endsOf(seen))),
  ];
}

export const TASK_SCENARIOS: readonly Scenario[] = [
  {
    name: 'task when_busy reject',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringIdle(stage),
    call: start,
    over: (stage) => atRest(stage) && isKnown(stage, 'given'),
    verify: given,
  },
  {
    name: 'task when_busy queue',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringBusy(stage, false),
    call: (stage) => start(stage, { when_busy: 'queue' }),
    release: true,
    over: (stage) => atRest(stage) && isKnown(stage, 'given'),
    verify: async (stage, seen) => [
      ...(await given(stage, seen)),
      ...(await expectTask(stage, 'held', endsOf(seen))),
    ],
  },
  {
    name: 'task when_busy interrupt',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringBusy(stage, false),
    call: (stage) => start(stage, { when_busy: 'interrupt' }),
    over: (stage) => atRest(stage) && isKnown(stage, 'given'),
    verify: async (stage, seen) => [
      ...(await given(stage, seen)),
      ...(await expectTask(stage, 'held', ['canceled', ...(seen.through === 'cli' ? [] : ['interrupted'])])),
    ],
  },
  {
    name: 'thaw',
    interfaces: ['cli', 'server', 'harness'],
    stage: { sleep_after: '600ms' },
    setUp: bringAsleep,
    call: start,
    over: (stage) => atRest(stage) && isKnown(stage, 'given') && !hasRunner(stage),
    verify: given,
  },
  {
    name: 'sleep',
    interfaces: ['harness'],
    stage: { sleep_after: '800ms' },
    setUp: (stage) => bringIdle(stage),
    call: () => ({ operation: 'list_agents', input: {} }),
    over: (stage) => !hasRunner(stage),
    verify: async (stage) => expectTask(stage, 'first', ['complete']),
  },
  {
    name: 'cancel running',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringBusy(stage, false),
    call: () => ({ operation: 'cancel_agent_task', input: { agent_name: NAME } }),
    over: atRest,
    verify: async (stage, seen) =>
      expectTask(stage, 'held', [
        'canceled',
        ...(seen.through === 'cli' || seen.first.kind === 'answered' ? [] : ['interrupted']),
      ]),
  },
  {
    name: 'cancel queued',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringBusy(stage),
    call: (stage) => ({
      operation: 'cancel_agent_task',
      input: { agent_name: NAME, task_id: idOf(stage, 'queued') },
    }),
    release: true,
    over: atRest,
    verify: async (stage, seen) => [
      ...(await expectTask(
        stage,
        'queued',
        seen.first.kind === 'answered' ? ['canceled'] : ['canceled', ...endsOf(seen)],
      )),
      ...(await expectTask(stage, 'held', endsOf(seen))),
    ],
  },
];

function idOf({ home }: Stage, key: string): string | undefined {
  return journalsOf(home)
    .flatMap(({ history }) => history)
    .find((row) => keyOfTask(row.message) === key)?.id;
}

function isKnown(stage: Stage, key: string): boolean {
  return idOf(stage, key) !== undefined;
}
