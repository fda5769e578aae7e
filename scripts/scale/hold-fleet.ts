import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { open, type OpenedBench } from '../../bench/opened-bench.ts';
import { median, megabytes, milliseconds, timed } from '../../bench/measure.ts';
import type { Place, Stage } from '../../bench/stage.ts';
import { findRun } from '../../src/platform/processes/process-tree.ts';
import { liveAgents, SHELL_ROLE, SHELL_TASK } from './live-agents.ts';

export interface ScaleOptions {
  /** What the live ones are; the sleepers run a command. */
  readonly agent: string;
  readonly live: number;
  readonly asleep: number;
  progress(line: string): void;
}

export interface Held {
  readonly held: boolean;
  readonly figures: Readonly<Record<string, string | number>>;
  /** What was not as it should be. */
  readonly problems: readonly string[];
}

const MAX_WAIT_MS = 300_000;
/** How many are asked for at the same time: more than start at once, and few enough that each is soon its turn. */
const AT_ONCE = 8;
const LOOKS = 5;

/** Makes a fleet with sleeping and live agents, uses it, and tells what it costs. */
export async function holdFleet(stage: Stage, options: ScaleOptions): Promise<Held> {
  const { agent, live, asleep, progress } = options;
  const place = await preparePlace(stage);
  await using kind = await liveAgents(agent, place);
  configure(stage, place, kind.role);
  await using bench = open(place);
  const count = (): number => stage.processes(place.home).length;

  progress(`making ${live} agents that stay awake`);
  const awake = names('live', live);
  const awakeMs = await timed(() => makeAgents(bench, { project: 'Live', task: kind.task }, awake));

  progress(`making ${asleep} agents that fall asleep`);
  const sleepers = names('asleep', asleep);
  const sleepersMs = await timed(() => makeAgents(bench, { project: 'Asleep', task: SHELL_TASK }, sleepers));
  await until('all of them sleep', () => count() <= live);
  const processes = count();
  const runners = stage.processes(place.home);
  const control = memoryOf(runners);
  const memory = memoryOf([...runners, ...(await programsOf(bench, awake))]);

  progress('looking at all of them');
  const looks: number[] = [];
  for (let look = 0; look < LOOKS; look++) looks.push(await timed(() => bench.fleet.listAgents({})));
  const { agents } = await bench.fleet.listAgents({});
  const idle = agents.filter(({ status }) => status === 'idle').length;
  const sleeping = agents.filter(({ status_reason }) => status_reason.startsWith('asleep')).length;

  progress('a task for every live agent, and one for a sleeper');
  const tasksMs = await timed(() => giveTasks(bench, awake, kind.task));
  const done = await countDone(bench, awake, 2);
  const [first = ''] = sleepers;
  const wakeMs = await timed(() => giveTasks(bench, [first], SHELL_TASK));
  const woken = await countDone(bench, [first], 2);

  const checks: readonly (readonly [what: string, got: number, wanted: number])[] = [
    ['agents listed in one call', agents.length, live + asleep],
    ['agents idle', idle, live + asleep],
    ['agents asleep', sleeping, asleep],
    ['processes of the fleet', processes, live],
    ['live agents that did a second task', done, live],
    ['sleeping agents that woke for a task', woken, 1],
  ];
  const problems = checks.flatMap(([what, got, wanted]) =>
    got === wanted ? [] : [`${what}: ${got} instead of ${wanted}`],
  );
  return {
    held: problems.length === 0,
    problems,
    figures: {
      ...Object.fromEntries(checks),
      'to make one agent that falls asleep': milliseconds(sleepersMs / asleep),
      'to make one agent that stays awake': milliseconds(awakeMs / live),
      'memory of the runner of a live agent': control === null ? 'needs Linux' : megabytes(control / live),
      'memory of a live agent with all it runs': memory === null ? 'needs Linux' : megabytes(memory / live),
      'memory of all live agents': memory === null ? 'needs Linux' : megabytes(memory),
      'list of all agents': milliseconds(median(looks)),
      'a task for each live agent': milliseconds(tasksMs),
      'a task for a sleeping agent': milliseconds(wakeMs),
    },
  };
}

async function preparePlace(stage: Stage): Promise<Place> {
  mkdirSync(stage.repository, { recursive: true });
  writeFileSync(join(stage.repository, 'README.md'), '# a small project\n');
  await stage.git('init', '--quiet', '--initial-branch=main');
  await stage.git('add', '.');
  await stage.git('commit', '--quiet', '--message=first');
  const place = stage.place('scale');
  return place;
}

function configure({ repository }: Stage, { config }: Place, role: object): void {
  const projects = {
    Live: { repository, default_role: 'live', sleep_after: '12h' },
    Asleep: { repository, default_role: 'shell', sleep_after: '1s' },
  };
  const roles = { live: role, shell: SHELL_ROLE };
  writeFileSync(config, JSON.stringify({ version: 1, projects, roles }));
}

async function makeAgents(
  bench: OpenedBench,
  input: { readonly project: string; readonly task: string },
  wanted: readonly string[],
): Promise<void> {
  await inTurns(wanted, async (name) => {
    await bench.call('create_agent', { ...input, name });
    await untilIdle(bench, name);
  });
}

async function giveTasks(
  bench: OpenedBench,
  agents: readonly string[],
  task_description: string,
): Promise<void> {
  await inTurns(agents, async (agent_name) => {
    await bench.call('start_agent_task', { agent_name, task_description });
    await untilIdle(bench, agent_name);
  });
}

/** How many agents have completed that many tasks, and no other. */
async function countDone(bench: OpenedBench, agents: readonly string[], tasks: number): Promise<number> {
  let done = 0;
  for (const name of agents) {
    const { rows } = await bench.fleet.history(name, { page: 1, page_size: 10 });
    if (rows.length === tasks && rows.every(({ state }) => state === 'complete')) done++;
  }
  return done;
}

async function untilIdle({ fleet }: OpenedBench, name: string): Promise<void> {
  await until(`${name} is idle`, async () => {
    const { status, status_reason } = await fleet.showAgent(name);
    if (status === 'failed') throw new Error(`${name} failed: ${status_reason}`);
    return status === 'idle';
  });
}

async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + MAX_WAIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`it did not happen in time that ${what}`);
    await delay(50);
  }
}

/** Works on all of them, a few at the same time. */
async function inTurns(all: readonly string[], work: (name: string) => Promise<void>): Promise<void> {
  const waiting = [...all];
  const take = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

/** What the agents have running beside their runners. */
async function programsOf({ fleet }: OpenedBench, agents: readonly string[]): Promise<readonly number[]> {
  const found: number[] = [];
  for (const name of agents) found.push(...findRun((await fleet.showAgent(name)).workspace_id));
  return found;
}

/** Kilobytes, each shared page counted once over all of them. */
function memoryOf(pids: readonly number[]): number | null {
  if (process.platform !== 'linux') return null;
  return pids.reduce((total, pid) => {
    const [, kilobytes] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
    return total + Number(kilobytes);
  }, 0);
}

function names(prefix: string, count: number): readonly string[] {
  return Array.from({ length: count }, (_, index) => `${prefix}-${index + 1}`);
}
