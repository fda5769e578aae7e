import { createAgent, untilStatus } from './agents.ts';
import type { OpenedBench } from './opened-bench.ts';
import { builtEdition } from './editions.ts';
import { alternate, milliseconds, ratioRow, timed, type Row } from './measure.ts';
import type { Place, Stage } from './stage.ts';
import type { Timed } from './timer.ts';

const ROUNDS = 7;
const TASK = 'sleep 600';

/** A runner is killed in the middle of a task: until a new process tells the truth, beside starting a runner. */
export async function runnerRecovery(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('recovery');
  const built = await builtEdition(stage);
  await using bench = built.bench.open(place);
  const { fleet } = bench;
  const name = await createAgent(bench, TASK);
  const { workspace_id } = await fleet.showAgent(name);
  await untilStatus(fleet, name, 'busy');
  const show = (): Promise<Timed> =>
    stage.timer.run({ ...place, file: process.execPath, args: [built.launcher, 'show', name, '--json'] });
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      // In this order whatever comes first: the runner is awake and busy before and after each of them.
      show: async () => (await show()).ms,
      recovery: async () => {
        const runner = runnerOf(stage, place);
        const taken = await timed(async () => {
          process.kill(runner, 'SIGKILL');
          while (statusIn(await show()) !== 'idle') continue;
        });
        await checkInterrupted(bench, name);
        await giveTask(bench, name);
        return taken;
      },
      start: async () => {
        process.kill(runnerOf(stage, place), 'SIGKILL');
        await untilStatus(fleet, name, 'idle');
        const taken = await timed(() => built.bench.start(place, workspace_id));
        await giveTask(bench, name);
        return taken;
      },
    },
  );
  return [
    ratioRow(
      {
        measure: 'runner killed (-9) in mid-task to a true status',
        peer: 'starting a runner',
        how: `from the signal to the end of a new process \`fleet show\` (built) that says idle with the task interrupted and nothing of it left running; against startRunner until its socket answers; ${ROUNDS} rounds; the same \`fleet show\` of a healthy agent took ${milliseconds(figures.show.median)}`,
      },
      { ours: figures.recovery.median, peer: figures.start.median },
    ),
  ];
}

function runnerOf(stage: Stage, { home }: Place): number {
  const [pid, ...others] = stage.processes(home);
  if (pid === undefined || others.length > 0) throw new Error('there should be exactly one runner');
  return pid;
}

async function giveTask(bench: OpenedBench, name: string): Promise<void> {
  await bench.call('start_agent_task', { agent_name: name, task_description: TASK });
  await untilStatus(bench.fleet, name, 'busy');
}

async function checkInterrupted({ fleet }: OpenedBench, name: string): Promise<void> {
  const { rows } = await fleet.history(name, { page: 1, page_size: 1 });
  if (rows[0]?.state !== 'interrupted') throw new Error(`the task is ${rows[0]?.state}, not interrupted`);
}

function statusIn({ stdout }: Timed): unknown {
  const answer: unknown = JSON.parse(stdout);
  if (typeof answer !== 'object' || answer === null || !('agent' in answer)) return undefined;
  const { agent } = answer;
  return typeof agent === 'object' && agent !== null && 'status' in agent ? agent.status : undefined;
}
