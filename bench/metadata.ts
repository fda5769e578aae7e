import { setTimeout as delay } from 'node:timers/promises';
import { taskfileFleet } from '../test/metadata/taskfile-fleet.ts';
import { agentOf, askAs, idleAgent } from '../test/support/fleet-under-test.ts';
import { goTask } from '../test/support/go-task.ts';
import { sourceEdition } from './editions.ts';
import { fillStore } from './fill-store.ts';
import { alternate, ratioRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const AGENTS = 1000;
const FIELDS = 10;
const ROUNDS = 5;
/** What was collected that long ago is collected anew by a look. */
const OLD_MS = 2_500;

/** What metadata of Taskfiles adds to a list, and how long a look at slow fields takes. */
export async function metadata(stage: Stage): Promise<readonly Row[]> {
  return [await listRow(stage), ...(await showRows())];
}

async function listRow(stage: Stage): Promise<Row> {
  const values = Object.fromEntries(
    Array.from({ length: FIELDS }, (_, index) => [
      `field_${index}`,
      index % 2 === 0 ? index : `value ${index}`,
    ]),
  );
  const at = new Date(0).toISOString();
  const listed = { count: FIELDS, collected_at: at, changed_at: at, values };
  const repository = stage.repository;
  const places = [stage.place('list-with'), stage.place('list-without')] as const;
  fillStore(places[0], { agents: AGENTS, journals: 0, repository, listed });
  fillStore(places[1], { agents: AGENTS, journals: 0, repository });
  await using withFields = sourceEdition().door.open(places[0]);
  await using without = sourceEdition().door.open(places[1]);
  const list = await alternate(
    { rounds: 30, warmups: 10 },
    {
      ours: () => timed(() => withFields.fleet.listAgents({})),
      peer: () => timed(() => without.fleet.listAgents({})),
    },
  );
  return ratioRow(
    {
      measure: `list_agents, ${AGENTS} agents with ${FIELDS} fields each`,
      peer: 'the same list without metadata',
      how: 'listAgents({}) in process, both stores filled alike but for the fields; 30 rounds',
    },
    { ours: list.ours.median, peer: list.peer.median },
  );
}

/** Fields that take 1 s each: side by side, against one after the other and against starting `task` as often. */
async function showRows(): Promise<readonly Row[]> {
  const bin = goTask();
  if (bin === undefined) return [];
  const tasks = Array.from(
    { length: FIELDS },
    (_, index) => `  f${index}: {meta: {include_in_list: true}, cmd: sleep 1}`,
  );
  await using fleet = taskfileFleet(bin, { 'Taskfile.yml': `version: '3'\ntasks:\n${tasks.join('\n')}\n` });
  const ask = askAs(fleet.fleet);
  await idleAgent(ask, 'slow');
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await delay(OLD_MS);
    times.push(await timed(() => agentOf(ask, 'slow')));
  }
  const median = times.toSorted((one, other) => one - other)[Math.floor(ROUNDS / 2)] ?? 0;
  return [
    ratioRow(
      {
        measure: `show_agent, ${FIELDS} fields that take 1 s each`,
        peer: 'the same fields one after the other: ten times their 1 s, computed',
        how: `showAgent of a live agent whose fields are older than 2 s, in its containment, by the real task; median of ${ROUNDS}`,
      },
      { ours: median, peer: FIELDS * 1000 },
    ),
  ];
}
