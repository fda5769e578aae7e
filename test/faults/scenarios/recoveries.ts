import { execFile } from 'node:child_process';
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { agentsOf, until } from '../../support/fleets/fleet-under-test.ts';
import { unpack } from '../../versions/first-version.ts';
import type { Call } from '../interfaces.ts';
import type { Scenario, Seen } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { taskText } from '../task-text.ts';
import { atRest, bringAsleep, bringLost, hasRunner, NAME, untilAlone } from './bring.ts';
import { expectAnswer, expectSame, expectStatus, expectTask, taskIdIn } from './expect.ts';

const LIST = { operation: 'list_agents', input: {} };

/** Opening a fleet for the first time or again, and mending what a runner left that died. */
export const RECOVERY_SCENARIOS: readonly Scenario[] = [
  {
    name: 'first opening',
    interfaces: ['cli', 'server'],
    fromStart: true,
    setUp: async () => {},
    call: () => LIST,
    over: () => true,
    verify: async (_, { again }) => expectAnswer(again),
  },
  {
    name: 'store made anew',
    interfaces: ['cli', 'server'],
    fromStart: true,
    stage: { sleep_after: '600ms' },
    setUp: async (stage) => {
      await bringAsleep(stage);
      await stage.close();
      for (const name of readdirSync(stage.home))
        if (name.startsWith('store.db')) rmSync(join(stage.home, name));
    },
    call: () => LIST,
    over: () => true,
    verify: async (stage) => {
      const names = (await agentsOf(stage.ask)).map(({ name }) => name);
      return names.join() === NAME
        ? expectStatus(stage, /^idle$/)
        : [`the list has ${names.join() || 'nobody'}`];
    },
  },
  {
    name: 'thaw by a newer Fleet than its own',
    interfaces: ['cli', 'harness'],
    stage: { sleep_after: '600ms', firstVersion: true },
    setUp: bringOlder,
    call: given,
    over: (stage) => atRest(stage) && stage.marks('given').includes('done') && !hasRunner(stage),
    verify: async (stage, seen) => [
      ...expectAnswer(seen.again),
      ...expectSame([seen.first, seen.again], taskIdIn),
      ...(await expectTask(stage, 'given', ['complete', 'interrupted'])),
    ],
  },
  {
    name: 'dead runner seen by a look',
    interfaces: ['cli', 'server'],
    setUp: bringLost,
    call: () => LIST,
    over: () => true,
    verify: recovered,
  },
  {
    name: 'dead runner replaced by the server',
    interfaces: ['server'],
    fromStart: true,
    setUp: bringLost,
    call: () => LIST,
    over: atRest,
    verify: recovered,
  },
  {
    name: 'dead runner replaced by a task',
    interfaces: ['cli', 'server', 'harness'],
    setUp: bringLost,
    call: given,
    over: (stage) => atRest(stage) && stage.marks('given').length > 0,
    verify: async (stage, seen) => [
      ...(await recovered(stage, seen)),
      ...expectAnswer(seen.again),
      ...expectSame([seen.first, seen.again], taskIdIn),
      ...(await expectTask(stage, 'given', ['complete', 'interrupted'])),
    ],
  },
];

function given(stage: Stage): Call {
  return {
    operation: 'start_agent_task',
    input: {
      agent_name: NAME,
      task_description: taskText(stage.left, 'given'),
      when_busy: 'queue',
      idempotency_key: 'the-key',
    },
  };
}

/** An agent of the first version, asleep: whoever opens its store and its journal brings them forward. */
async function bringOlder(stage: Stage): Promise<void> {
  const first = join(stage.directory, 'first');
  unpack('package', first);
  const input = { project: 'Setup', name: NAME, task: taskText(stage.left, 'first') };
  const args = [join(first, 'bin', 'fleet.js'), 'call', 'create_agent', JSON.stringify(input)];
  await promisify(execFile)(process.execPath, args, { env: stage.env });
  await until(
    async () => stage.marks('first').includes('done'),
    (done) => done,
  );
  await untilAlone(stage);
}

async function recovered(stage: Stage, { through }: Seen): Promise<string[]> {
  return [
    ...(await expectStatus(stage, /^idle$/)),
    ...(await expectTask(stage, 'held', ['interrupted'])),
    ...(await expectTask(stage, 'queued', ['complete', ...(through === 'cli' ? [] : ['interrupted'])])),
  ];
}
