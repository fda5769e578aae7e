import { createAgent, untilStatus } from './agents.ts';
import { builtEdition } from './editions.ts';
import { Figures, milliseconds, ratioRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 15;
const LIMIT_MS = 500;

/** From the fact that a task has ended, in the runner, to a waiter in another process that is told so. */
export async function statusVisible(stage: Stage): Promise<readonly Row[]> {
  await using bench = (await builtEdition(stage)).bench.open(stage.place('visible'));
  const agent_name = await createAgent(bench, 'true');
  await untilStatus(bench.fleet, agent_name, 'idle');
  const seen: number[] = [];
  const looks: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await bench.call('start_agent_task', { agent_name, task_description: 'sleep 0.05' });
    await bench.call('wait_for_agents', { agent_names: agent_name });
    const told = Number(process.hrtime.bigint() / 1_000_000n);
    const { facts } = await bench.fleet.facts(agent_name);
    const ended = facts.findLast(({ body }) => body.kind === 'task.ended');
    if (ended === undefined) throw new Error('no task has ended');
    seen.push(told - ended.awake_ms);
    looks.push(await timed(() => bench.call('show_agent', { agent_name })));
  }
  const figures = { ours: new Figures(seen), look: new Figures(looks) };
  const row = ratioRow(
    {
      measure: 'a change of status, to a waiter in another process',
      peer: 'one show_agent',
      how: `from the time of the fact task.ended (clock shared by all processes) to the answer of wait_for_agents; git is looked at in between; ${ROUNDS} rounds, worst ${milliseconds(figures.ours.worst)}`,
    },
    { ours: figures.ours.median, peer: figures.look.median },
  );
  return [{ ...row, target: '< 0.5 s', met: figures.ours.median < LIMIT_MS }];
}
