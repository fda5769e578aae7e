import { createAgent, untilStatus } from './agents.ts';
import type { OpenedBench } from './door.ts';
import { builtEdition } from './editions.ts';
import { alternate, milliseconds, ratioRow, timed, type Row } from './measure.ts';
import { run } from './run.ts';
import type { Place, Stage } from './stage.ts';

const ROUNDS = 7;
const TASK = 'sleep 600';

/** A runner is killed in the middle of a task: until a new process tells the truth, beside starting a runner. */
export async function runnerRecovery(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('recovery');
  const built = await builtEdition(stage);
  await using bench = built.door.open(place);
  const { fleet } = bench;
  const name = await createAgent(bench, TASK);
  const { workspace_id } = await fleet.showAgent(name);
  await untilStatus(fleet, name, 'busy');
  const show = async (): Promise<unknown> =>
    JSON.parse(
      await run(process.execPath, [built.launcher, 'show', name, '--json'], {
        cwd: place.cwd,
        env: place.env,
      }),
    );
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      // In this order whatever comes first: the runner is awake and busy before and after each of them.
      show: () => timed(show),
      recovery: async () => {
        const taken = await timed(async () => {
          killRunner(stage, place);
          while (statusOf(await show()) !== 'idle') continue;
        });
        await checkInterrupted(bench, name);
        await giveTask(bench, name);
        return taken;
      },
      start: async () => {
        killRunner(stage, place);
        await untilStatus(fleet, name, 'idle');
        const taken = await timed(() => built.door.start(place, workspace_id));
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

function killRunner(stage: Stage, { home }: Place): void {
  const [pid, ...others] = stage.processes(home);
  if (pid === undefined || others.length > 0) throw new Error('there should be exactly one runner');
  process.kill(pid, 'SIGKILL');
}

async function giveTask(bench: OpenedBench, name: string): Promise<void> {
  await bench.call('start_agent_task', { agent_name: name, task_description: TASK });
  await untilStatus(bench.fleet, name, 'busy');
}

async function checkInterrupted({ fleet }: OpenedBench, name: string): Promise<void> {
  const { rows } = await fleet.history(name, { page: 1, page_size: 1 });
  if (rows[0]?.state !== 'interrupted') throw new Error(`the task is ${rows[0]?.state}, not interrupted`);
}

function statusOf(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null || !('agent' in answer)) return undefined;
  const { agent } = answer;
  return typeof agent === 'object' && agent !== null && 'status' in agent ? agent.status : undefined;
}
