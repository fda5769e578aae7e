import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { agentsOf } from '../../support/fleets/fleet-under-test.ts';
import { git } from '../../seeds/on-this-machine.ts';
import type { Scenario } from '../scenario.ts';
import type { Stage } from '../stage.ts';
import { bringIdle, NAME, rowOf } from './bring.ts';

const WORK = [
  `echo committed > committed.txt`,
  `git add committed.txt`,
  `git -c user.name=Ada -c user.email=ada@localhost commit --quiet -m work`,
  `echo loose > loose.txt`,
];

/** Somebody who restores an agent is stopped: it is there, or it is in the archive and can be restored again. */
export const RESTORE_SCENARIOS: readonly Scenario[] = [
  {
    name: 'restore',
    interfaces: ['cli', 'server'],
    setUp: async (stage) => {
      await bringIdle(stage, { steps: WORK });
      await stage.ask('delete_agent', { agent_name: NAME });
    },
    call: (stage) => ({ operation: 'restore_agent', input: { workspace_id: idOf(stage) } }),
    over: (stage) => rowOf(stage)?.tombstone === null,
    verify: async (stage, { again }) => [
      ...(again.kind === 'answered' ? [] : [`the second call was ${JSON.stringify(again)}`]),
      ...(await thereProblems(stage)),
    ],
  },
];

/** Its id stays the same in whichever of the two places it is. */
function idOf({ home }: Stage): string {
  const found = ['archive', 'agents'].flatMap((name) => {
    const directory = join(home, name);
    return existsSync(directory) ? readdirSync(directory) : [];
  });
  if (found[0] === undefined) throw new Error('it is in neither place');
  return found[0];
}

async function thereProblems(stage: Stage): Promise<string[]> {
  const agents = await agentsOf(stage.ask);
  const [agent] = agents;
  if (agent === undefined || agents.length > 1) return [`there are ${agents.length} agents`];
  const workspace = join(stage.home, 'agents', agent.workspace_id, 'work');
  const missing = ['committed.txt', 'loose.txt'].filter((name) => !existsSync(join(workspace, name)));
  const shown = git(stage.repository, 'show', `refs/remotes/fleet/${NAME}:committed.txt`);
  return [
    ...(agent.status === 'stopped' ? [] : [`it is ${agent.status}`]),
    ...(existsSync(join(stage.home, 'archive', agent.workspace_id)) ? ['it is in the archive too'] : []),
    ...missing.map((name) => `${name} is gone`),
    ...(shown === 'committed' ? [] : ['its branch is not shown']),
  ];
}
