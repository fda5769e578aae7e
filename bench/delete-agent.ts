import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, untilStatus } from './agents.ts';
import { builtEdition } from './editions.ts';
import { alternate, ratioRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 7;
const LIMIT_MS = 5_000;

/** delete_agent of an idle agent, awake, with nothing to keep, beside what it takes to remove a clone. */
export async function deleteAgent(stage: Stage): Promise<readonly Row[]> {
  await using bench = (await builtEdition(stage)).bench.open(stage.place('delete'));
  let clones = 0;
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      ours: async () => {
        const agent_name = await createAgent(bench, 'true');
        await untilStatus(bench.fleet, agent_name, 'idle');
        return timed(() => bench.call('delete_agent', { agent_name }));
      },
      git: async () => {
        const directory = join(stage.directory, 'deleted', String(++clones));
        await stage.git('clone', '--quiet', '--shared', '.', directory);
        return timed(async () => rmSync(directory, { recursive: true }));
      },
    },
  );
  const row = ratioRow(
    {
      measure: 'delete_agent, idle and awake',
      peer: 'removing a clone',
      how: `in process, from the call to the answer: runner ended, work looked for, branch out of sight, workspace and journal archived; ${ROUNDS} rounds`,
    },
    { ours: figures.ours.median, peer: figures.git.median },
  );
  return [{ ...row, target: '< 5 s', met: figures.ours.worst < LIMIT_MS }];
}
