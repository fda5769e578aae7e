import { git } from '../../seeds/on-this-machine.ts';
import type { Answer } from '../../support/fleets/fleet-under-test.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { NAME } from './bring.ts';
import { expectAnswer, expectSame } from './expect.ts';
import {
  bringCommitted,
  checkoutProblems,
  expectLandedEvents,
  expectOnce,
  mergeLeftovers,
  userCommits,
} from './work-of-agent.ts';

/** Somebody who lands the work of an agent, or takes it back, is stopped: it is on the branch as a whole or not at all, and
 *  the same call once more brings it there. */
export const LANDING_SCENARIOS: readonly Scenario[] = [
  landing('land', {}, { interfaces: ['cli', 'server'] }),
  landing('land squash', { strategy: 'squash' }, { interfaces: ['cli'] }),
  landing('land rebase', { strategy: 'rebase' }, { interfaces: ['cli'] }),
  landing('land on a branch that is not checked out', { into: 'release' }, { interfaces: ['cli', 'server'] }),
  landing(
    'land with checks',
    {},
    { interfaces: ['cli', 'harness'], only: 'worker', stage: { checks: { tests: 'test -e one.txt' } } },
  ),
  undoing('undo a landing', { later: false }),
  undoing('undo a landing by a commit', { later: true }),
];

function landing(
  name: string,
  options: Answer,
  rest: Pick<Scenario, 'interfaces' | 'only' | 'stage'>,
): Scenario {
  const into = String(options['into'] ?? 'main');
  return {
    name,
    ...rest,
    setUp: async (stage) => {
      await bringCommitted(stage, 'one', 'two');
      userCommits(stage, 'user.txt');
      git(stage.repository, 'branch', 'release');
    },
    call: () => ({
      operation: 'land_agent',
      input: { agent_name: NAME, idempotency_key: 'the-key', ...options },
    }),
    over: (stage) => landed(stage, into),
    verify: async (stage, { first, again }) => [
      ...expectAnswer(again, ({ state }) => (state === 'landed' ? [] : [`it is ${String(state)}`])),
      ...expectSame([first, again], ({ after }) => after),
      ...expectAnswer(again, ({ after }) =>
        git(stage.repository, 'rev-parse', into) === after ? [] : [`${into} is elsewhere`],
      ),
      ...(options['strategy'] === 'squash' ? [] : expectOnce(stage, into, ['one', 'two'])),
      ...(landed(stage, into) ? [] : [`the work is not on ${into}`]),
      ...expectOnce(stage, into, ['user.txt']),
      ...checkoutProblems(stage),
      ...mergeLeftovers(stage),
      ...expectLandedEvents(stage, 1),
    ],
  };
}

function landed({ repository }: Stage, branch: string): boolean {
  const files = git(repository, 'ls-tree', '--name-only', branch).split('\n');
  return ['one.txt', 'two.txt'].every((file) => files.includes(file));
}

function undoing(name: string, { later }: { readonly later: boolean }): Scenario {
  const ids = new WeakMap<Stage, string>();
  return {
    name,
    interfaces: ['cli', 'server'],
    setUp: async (stage) => {
      await bringCommitted(stage, 'one', 'two');
      const { land_id } = await stage.ask('land_agent', { agent_name: NAME });
      ids.set(stage, String(land_id));
      if (later) userCommits(stage, 'user.txt');
    },
    call: (stage) => ({ operation: 'undo_land', input: { land_id: ids.get(stage), idempotency_key: 'k' } }),
    over: (stage) => !landed(stage, 'main'),
    verify: async (stage, { first, again }) => [
      ...expectAnswer(again, ({ how }) =>
        how === (later ? 'revert' : 'reset') ? [] : [`it is a ${String(how)}`],
      ),
      ...expectSame([first, again], ({ after }) => after),
      ...(landed(stage, 'main') ? ['the work is still there'] : []),
      ...expectOnce(stage, 'main', later ? ['user.txt'] : []),
      ...checkoutProblems(stage),
      ...mergeLeftovers(stage),
      ...expectLandedEvents(stage, 1),
    ],
  };
}
