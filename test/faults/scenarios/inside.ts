import { join } from 'node:path';
import { agentOf, history } from '../../support/fleets/fleet-under-test.ts';
import { cutFiles } from '../cuts/cut-files.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { taskText } from '../task-text.ts';
import { atRest, bringIdle, NAME } from './bring.ts';
import { expectAnswer, expectTask } from './expect.ts';

const WORDS = {
  report: `fleet report 'half done'`,
  queue: `fleet task --self "$(cat own-task)"`,
  meta: `fleet meta set fleet_mcp_note here`,
};

/** What an agent's program does, and says of itself. */
export const INSIDE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'report, own task, own metadata',
    interfaces: ['harness'],
    stage: { cutInside: true },
    setUp: (stage) => bringIdle(stage),
    call: (stage) =>
      given(
        stage,
        Object.keys(WORDS).flatMap((word) => said(stage, word as keyof typeof WORDS)),
      ),
    over: (stage) => atRest(stage) && stage.marks('given').includes('done'),
    verify: async (stage, { again }) => [
      ...expectAnswer(again),
      ...(await expectTask(stage, 'given', ['complete', 'interrupted'])),
      ...(await saidProblems(stage)),
    ],
  },
  {
    name: 'the program of a task',
    interfaces: ['harness'],
    only: 'program',
    setUp: (stage) => bringIdle(stage),
    call: (stage) =>
      given(stage, [
        momentsOf(stage),
        ...[
          'echo loose > loose.txt',
          'git add loose.txt',
          'git -c user.name=Ada -c user.email=ada@localhost commit --quiet -m work',
          ...Object.keys(WORDS).flatMap((word) => said(stage, word as keyof typeof WORDS)),
          '(sleep 600 &)',
        ].flatMap((line, index) => [`moment 'before step ${index + 1}'`, line]),
        `moment 'after the last step'`,
      ]),
    over: (stage) => atRest(stage) && stage.marks('given').length > 0,
    verify: async (stage, { again }) => [
      ...expectAnswer(again),
      ...(await expectTask(
        stage,
        'given',
        stage.marks('given').includes('done') ? ['complete'] : ['failed'],
      )),
      ...(await saidProblems(stage)),
    ],
  },
];

function given(stage: Stage, steps: readonly string[]) {
  const own = taskText(stage.directory, 'own').replaceAll("'", `'\\''`);
  const task_description = taskText(stage.directory, 'given', {
    steps: [`printf %s '${own}' > own-task`, ...steps],
  });
  return {
    operation: 'start_agent_task',
    input: { agent_name: NAME, task_description, idempotency_key: 'the-key' },
  };
}

/** What was answered with success is written down. */
function said(stage: Stage, word: keyof typeof WORDS): string[] {
  return [`${WORDS[word]} && echo ${word} >> '${join(stage.directory, 'marks', 'said')}'`];
}

/** The program itself counts its moments and stops hard at the chosen one. */
function momentsOf({ directory }: Stage): string {
  const { point, trace } = cutFiles(directory);
  return `n=0; moment() { n=$((n + 1)); echo "program-1 $n $1" >> '${trace}'; [ "$(cat '${point}' 2>/dev/null)" != "program-1 $n" ] || kill -9 $$; }`;
}

/** What the agent was told is kept is there, and there once. */
async function saidProblems(stage: Stage): Promise<string[]> {
  const told = stage.marks('said');
  const rows = await history(stage.ask, NAME);
  const reports = rows.filter((row) => row['kind'] === 'report').length;
  const { fleet_metadata } = await agentOf(stage.ask, NAME);
  return [
    ...(reports > 1 || (told.includes('report') && reports === 0) ? [`${reports} reports are there`] : []),
    ...(told.includes('meta') && fleet_metadata['fleet_mcp_note'] !== 'here'
      ? ['its metadata is not there']
      : []),
    ...(told.includes('queue') ? await expectTask(stage, 'own', ['complete', 'interrupted']) : []),
  ];
}
