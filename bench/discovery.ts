import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { builtEdition } from './editions.ts';
import { alternate, ratioRow, timedEach, type Row } from './measure.ts';
import { PROJECT, type Stage } from './stage.ts';

const ROUNDS = 15;
const CALLS = 20;
const LIMIT_MS = 100;

/** list_agent_projects and list_agent_roles, beside reading and parsing the same file. */
export async function discovery(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('discovery');
  await using bench = (await builtEdition(stage)).bench.open(place);
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      ours: () =>
        timedEach(CALLS, async () => {
          await bench.call('list_agent_projects', {});
          await bench.call('list_agent_roles', { project: PROJECT });
        }),
      bare: () => timedEach(CALLS, () => parse(readFileSync(place.config, 'utf8'))),
    },
  );
  const row = ratioRow(
    {
      measure: 'discovery: projects and roles',
      peer: 'reading and parsing the file once',
      how: `both operations, in process; the file is looked at each time; ${CALLS} calls a round, ${ROUNDS} rounds`,
    },
    { ours: figures.ours.median, peer: figures.bare.median },
  );
  return [{ ...row, target: '< 100 ms', met: figures.ours.worst < LIMIT_MS }];
}
