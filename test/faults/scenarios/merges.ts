import { git } from '../../seeds/on-this-machine.ts';
import type { Answer } from '../../support/fleets/fleet-under-test.ts';
import { forgeFor, type GitForge } from '../../support/git-forge.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { taskText } from '../task-text.ts';
import { atRest, bringIdle, NAME } from './bring.ts';
import { expectAnswer, expectSame, expectTask } from './expect.ts';
import { endsOf } from './tasks.ts';
import {
  bringCommitted,
  checkoutProblems,
  commitSteps,
  expectAgents,
  expectOnce,
  subjectsOf,
  userCommits,
} from './work-of-agent.ts';

const SHOWN = `refs/remotes/fleet/${NAME}`;

/** Other ways of work between an agent and its project. */
export const MERGE_SCENARIOS: readonly Scenario[] = [
  updating('merge'),
  updating('rebase'),
  publishing(),
  {
    name: 'transfer',
    interfaces: ['harness'],
    only: 'runner',
    setUp: (stage) => bringIdle(stage),
    call: ({ directory }) => ({
      operation: 'start_agent_task',
      input: {
        agent_name: NAME,
        task_description: taskText(directory, 'second', { steps: commitSteps('one') }),
        idempotency_key: 'the-key',
      },
    }),
    over: (stage) => atRest(stage) && subjectsOf(stage, SHOWN).includes('one'),
    verify: async (stage, seen) => [
      ...(await expectTask(stage, 'second', endsOf(seen))),
      ...(stage.marks('second').includes('done') ? await expectTransferred(stage) : []),
    ],
  },
  {
    name: 'fork',
    interfaces: ['cli', 'server', 'harness'],
    setUp: (stage) => bringIdle(stage, { steps: [...commitSteps('one'), 'echo loose > loose.txt'] }),
    call: ({ directory }) => ({
      operation: 'fork_agent',
      input: {
        agent_name: NAME,
        name: 'kay',
        task: taskText(directory, 'forked', { steps: ['cat one.txt loose.txt'] }),
        idempotency_key: 'the-key',
      },
    }),
    over: (stage) => atRest(stage) && stage.marks('forked').includes('done'),
    verify: async (stage, { first, again }) => [
      ...expectAnswer(again),
      ...expectSame([first, again], (answer) => (answer['agent'] as Answer)['workspace_id']),
      ...(await expectAgents(stage, [NAME, 'kay'])),
      ...expectOnce(stage, SHOWN, ['one']),
      ...expectOnce(stage, 'refs/remotes/fleet/kay', ['one']),
      ...(git(stage.repository, 'show', 'fleet/kay:loose.txt') === 'loose'
        ? []
        : ['loose.txt is not in the fork']),
    ],
  },
];

function updating(strategy: 'merge' | 'rebase'): Scenario {
  return {
    name: `update by ${strategy}`,
    interfaces: ['cli', 'server', 'harness'],
    setUp: async (stage) => {
      await bringCommitted(stage, 'one');
      userCommits(stage, 'user.txt');
    },
    call: () => ({
      operation: 'update_agent',
      input: { agent_name: NAME, strategy, idempotency_key: 'the-key' },
    }),
    over: (stage) => atRest(stage) && subjectsOf(stage, SHOWN).includes('user.txt'),
    verify: async (stage, { again }) => [
      ...expectAnswer(again),
      ...expectAnswer(again, ({ head }) =>
        git(stage.repository, 'rev-parse', SHOWN) === head ? [] : ['the updated branch is not shown'],
      ),
      ...expectOnce(stage, SHOWN, ['one', 'user.txt']),
      ...expectOnce(stage, 'main', ['user.txt']),
      ...checkoutProblems(stage),
    ],
  };
}

function publishing(): Scenario {
  const forges = new WeakMap<Stage, GitForge>();
  const published = (stage: Stage): string => {
    const { repository = '' } = forges.get(stage) ?? {};
    return git(repository, 'for-each-ref', '--format=%(objectname)', `refs/heads/fleet/${NAME}`);
  };
  return {
    name: 'publish',
    interfaces: ['cli', 'server'],
    setUp: async (stage) => {
      forges.set(stage, stage.use(await forgeFor(stage)));
      await bringCommitted(stage, 'one');
    },
    call: () => ({ operation: 'publish_agent', input: { agent_name: NAME } }),
    over: (stage) => (forges.get(stage)?.pulls.length ?? 0) > 0,
    verify: async (stage, { again }) => [
      ...expectAnswer(again),
      ...(published(stage) === git(stage.repository, 'rev-parse', SHOWN)
        ? []
        : ['the branch is not at the remote']),
      ...(forges.get(stage)?.pulls.length === 1 ? [] : ['there are several pull requests']),
    ],
  };
}

/** Work of a task that was done is nowhere lost: a landing takes it over, also when its runner died before it could. */
async function expectTransferred(stage: Stage): Promise<string[]> {
  await stage.ask('land_agent', { agent_name: NAME });
  return [...expectOnce(stage, 'main', ['one']), ...expectOnce(stage, SHOWN, ['one'])];
}
