import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { commitFiles, taskfileFleet } from '../test/metadata/taskfile-fleet.ts';
import { agentOf, askAs, idleAgent, until } from '../test/support/fleets/fleet-under-test.ts';
import { goTask } from '../test/support/installs/go-task.ts';
import type { LocalFleet } from '../test/support/fleets/local-fleet.ts';
import { sourceEdition } from './editions.ts';
import { fillStore } from './fill-store.ts';
import { alternate, milliseconds, ratioRow, skippedRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const AGENTS = 1000;
const FIELDS = 10;
const ROUNDS = 5;
/** What was collected that long ago is collected anew by a look. */
const OLD_MS = 2_500;

/** What metadata of Taskfiles adds to a list and to a look, against a design that runs one command after the other. */
export async function metadata(stage: Stage): Promise<readonly Row[]> {
  const list = await listRow(stage);
  const bin = goTask();
  if (bin === undefined) return [list.row, skippedRow('show_agent with fields', 'there is no program task')];
  const quick = await showTimes(bin, 'echo value');
  const slow = await showTimes(bin, 'sleep 1');
  const limit = 1_300 + slow.starting;
  return [
    list.row,
    ratioRow(
      {
        measure: `the same list of ${AGENTS}, stored against collected by the look`,
        peer: `fields in sequence, agents in sequence (the design of seed 003), ${AGENTS} times one agent`,
        how: `the list above, against ten \`task\` that print a word, one after the other, for each agent one after the other; one agent was measured, median of ${ROUNDS}`,
      },
      { ours: list.ours, peer: quick.inSequence * AGENTS },
    ),
    {
      ...ratioRow(
        {
          measure: `show_agent, ${FIELDS} fields that take 1 s each`,
          peer: 'fields in sequence (the design of seed 003)',
          how: `showAgent of a live agent whose fields are older than 2 s, in its containment, by the real task, median of ${ROUNDS}; starting task ten times, bare and side by side, took ${milliseconds(slow.starting)}`,
        },
        { ours: slow.ours, peer: slow.inSequence },
      ),
      target: `≤ 1.3 s + starting task ten times = ${milliseconds(limit)}`,
      met: slow.ours <= limit,
    },
    {
      ...ratioRow(
        {
          measure: `show_agent, ${FIELDS} fields of quick commands`,
          peer: 'fields in sequence (the design of seed 003)',
          how: `the same with fields that print a word`,
        },
        { ours: quick.ours, peer: quick.inSequence },
      ),
      target: '< 3 s',
      met: quick.ours < 3_000,
    },
  ];
}

async function listRow(stage: Stage): Promise<{ readonly row: Row; readonly ours: number }> {
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
  await using withFields = sourceEdition().bench.open(places[0]);
  await using without = sourceEdition().bench.open(places[1]);
  const list = await alternate(
    { rounds: 30, warmups: 10 },
    {
      ours: () => timed(() => withFields.fleet.listAgents({})),
      peer: () => timed(() => without.fleet.listAgents({})),
    },
  );
  const row = ratioRow(
    {
      measure: `list_agents, ${AGENTS} agents with ${FIELDS} fields each`,
      peer: 'the same list without metadata',
      how: 'listAgents({}) in process, both stores filled alike but for the fields; 30 rounds',
    },
    { ours: list.ours.median, peer: list.peer.median },
    1.2,
  );
  return { row, ours: list.ours.median };
}

/** A look at an agent with ten such fields, the same fields one after the other, and what starting `task` costs. */
async function showTimes(bin: string, command: string) {
  const tasks = Array.from(
    { length: FIELDS },
    (_, index) => `  f${index}: {meta: {include_in_list: true}, cmd: ${command}}\n`,
  );
  await using fleet = taskfileFleet(bin, { 'Taskfile.yml': `version: '3'\ntasks:\n${tasks.join('')}` });
  commitFiles(fleet.repository, { 'nothing/Taskfile.yml': `version: '3'\ntasks: {f: 'true'}\n` });
  const ask = askAs(fleet.fleet);
  await idleAgent(ask, 'seen');
  await until(
    () => agentOf(ask, 'seen'),
    (agent) => Object.values(agent.metadata).every(({ error }) => error === null),
  );
  const names = Array.from({ length: FIELDS }, (_, index) => `f${index}`);
  const task = taskOf(bin, fleet);
  const taken = await alternate(
    { rounds: ROUNDS, warmups: 1 },
    {
      ours: async () => {
        await delay(OLD_MS);
        return await timed(() => agentOf(ask, 'seen'));
      },
      inSequence: () =>
        timed(async () => {
          for (const name of names) await task('.', name);
        }),
      starting: () => timed(() => Promise.all(names.map(() => task('nothing', 'f')))),
    },
  );
  return {
    ours: taken.ours.median,
    inSequence: taken.inSequence.median,
    starting: taken.starting.median,
  };
}

function taskOf(bin: string, { repository }: LocalFleet) {
  return async (directory: string, name: string): Promise<void> => {
    const cwd = join(repository, directory);
    const [code] = await once(spawn(join(bin, 'task'), ['--silent', name], { cwd, stdio: 'ignore' }), 'exit');
    if (code !== 0) throw new Error(`task ${name} ended with ${code}`);
  };
}
