import { join } from 'node:path';
import { agentsOf } from '../../support/fleets/fleet-under-test.ts';
import { git } from '../../seeds/on-this-machine.ts';
import { INTERFACES, type Outcome } from '../interfaces.ts';
import type { Scenario, Seen } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { bringBusy, bringIdle, NAME, rowOf } from './bring.ts';

/** A commit that is nowhere else, and a file that is in no commit. */
const WORK = [
  `echo committed > committed.txt`,
  `git add committed.txt`,
  `git -c user.name=Ada -c user.email=ada@localhost commit --quiet -m work`,
  `echo loose > loose.txt`,
];

/** Where a deletion may have been left by somebody who was stopped in the middle of it. */
const HALF_WAY = {
  'after its tombstone': 'after store commit',
  'after its work was kept': 'after rename to kept.done',
  'after it was out of sight': 'after remove stage',
  'after its archive was made': 'after rename to ID',
};

export const DELETE_SCENARIOS: readonly Scenario[] = [
  { ...deletion('delete idle', (stage) => bringIdle(stage)), interfaces: ['cli', 'harness'] },
  { ...deletion('delete with work to keep', withWork), stage: { looks: true } },
  { ...deletion('delete busy', (stage) => bringBusy(stage)), interfaces: ['cli', 'harness'] },
  ...Object.entries(HALF_WAY).map(([where, what]) => ({
    ...deletion(`delete again ${where}`, (stage) => leftHalfWay(stage, what)),
    interfaces: ['cli' as const],
  })),
  {
    ...deletion('delete finished by the server', (stage) =>
      leftHalfWay(stage, HALF_WAY['after its work was kept']),
    ),
    interfaces: ['server'],
    fromStart: true,
    call: () => ({ operation: 'list_agents', input: {} }),
  },
];

function deletion(name: string, setUp: (stage: Stage) => Promise<void>): Scenario {
  return {
    name,
    interfaces: ['cli', 'server', 'harness'],
    setUp,
    call: deleteIt,
    over: (stage) => rowOf(stage) === undefined,
    verify: async (stage, seen) => [...(await goneWithName(stage, seen)), ...keptProblems(stage, seen)],
  };
}

function deleteIt() {
  return { operation: 'delete_agent', input: { agent_name: NAME } };
}

async function withWork(stage: Stage): Promise<void> {
  await bringIdle(stage, { steps: [...WORK, `echo worked >> '${join(stage.directory, 'marks', 'first')}'`] });
}

async function leftHalfWay(stage: Stage, what: string): Promise<void> {
  await withWork(stage);
  stage.arm(`cli-1 ${what}`);
  await using caller = await INTERFACES.cli(stage);
  const outcome = await caller.call(deleteIt());
  if (outcome.kind !== 'cut') throw new Error(`the first deletion was not stopped ${what}`);
  stage.disarm();
  stage.forgetMoments();
}

/** It is gone, and its name is free; where the call was answered, another takes it, and works as any does. */
async function goneWithName(stage: Stage, { first }: Seen): Promise<string[]> {
  const left = (await agentsOf(stage.ask)).map(({ name }) => name);
  if (left.length > 0) return [`${left.join(', ')} is still there`];
  if (first.kind === 'answered') await bringIdle(stage, { key: 'of-the-next' });
  return [];
}

/** Work that was nowhere else is on a branch, and whoever was answered was told so. */
function keptProblems(stage: Stage, { first, again }: Seen): string[] {
  const kept = git(stage.repository, 'for-each-ref', '--format=%(refname:short)', 'refs/heads/fleet-kept/')
    .split('\n')
    .filter((line) => line !== '');
  const had = stage.marks('first').includes('worked');
  if (!had) return kept.length === 0 ? [] : [`${kept.join(', ')} was kept of an agent without work`];
  const [branch] = kept;
  if (branch === undefined || kept.length > 1) return [`its work is on ${kept.length} branches`];
  const texts = ['committed', 'loose'].map((name) => git(stage.repository, 'show', `${branch}:${name}.txt`));
  return [
    ...(texts.join() === 'committed,loose' ? [] : [`its work is not on ${branch}`]),
    ...[first, again].flatMap((outcome) => answerProblems(outcome, branch)),
  ];
}

function answerProblems(outcome: Outcome, branch: string): string[] {
  if (outcome.kind !== 'answered' || !('kept' in outcome.answer)) return [];
  const { kept } = outcome.answer;
  return kept === branch ? [] : [`the answer says that ${String(kept)} was kept, and it is ${branch}`];
}
