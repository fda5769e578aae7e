import { writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { builtEdition } from '../../bench/editions.ts';
import type { Place, Stage } from '../../bench/stage.ts';
import { Random } from '../../test/faults/random.ts';
import { judge, type Level } from './judge.ts';
import { bytesOf, runnersOf, takeSample, type Sample } from './sample.ts';
import { serve, type Served } from './served.ts';

export interface SoakOptions {
  readonly agents: number;
  readonly tasks: number;
  readonly seed: number;
  /** Gives no more tasks, and comes to the end of those that were given. */
  readonly enough?: AbortSignal;
  progress(line: string): void;
}

export interface Soaked {
  readonly held: boolean;
  readonly figures: Readonly<Record<string, string | number>>;
  readonly flat: readonly Level[];
  readonly problems: readonly string[];
}

const PROJECT = 'Soak';
const AT_ONCE = 8;
/** How many tasks an agent has before it, so that it never waits for the next. */
const AHEAD = 12;
const SAMPLES = 90;
const TASKS_A_KILL = 200;
const STALLED_MS = 300_000;
const LOOK_EVERY_MS = 100;

/** Gives a fleet its tasks as fast as it takes them, kills runners on the way, and looks at what it costs. */
export async function soakFleet(stage: Stage, options: SoakOptions): Promise<Soaked> {
  const { agents, seed, enough, progress } = options;
  let { tasks } = options;
  await stage.prepare();
  const place = preparePlace(stage);
  await using served = await serve(place, (await builtEdition(stage)).launcher);
  const stop = new AbortController();
  const ended = new Map<string, number>();
  let done = 0;
  const following = served
    .follow((event) => {
      if (event['kind'] !== 'task.ended') return;
      done++;
      const name = String(event['agent_name']);
      ended.set(name, (ended.get(name) ?? 0) + 1);
    }, stop.signal)
    .catch((thrown: unknown) => {
      if (!stop.signal.aborted) progress(`the events ended: ${String(thrown)}`);
    });
  progress(`making ${agents} agents`);
  const names = Array.from({ length: agents }, (_, index) => `soak-${index + 1}`);
  await inTurns(names, (name) =>
    served.ask('POST', '/agents', { project: PROJECT, name, task: 'first', idempotency_key: name }),
  );

  const begun = performance.now();
  const random = new Random(seed);
  const samples: Sample[] = [];
  let kills = 0;
  let before = -1;
  let movedAt = begun;
  let failure: Error | undefined;
  const signal = AbortSignal.any([stop.signal, ...(enough === undefined ? [] : [enough])]);
  const feeding = feed({ served, names, tasks, ended, signal }).then(
    (given) => (tasks = given),
    (thrown: Error) => (failure = thrown),
  );
  while (performance.now() - movedAt < STALLED_MS) {
    if (done !== before) movedAt = performance.now();
    before = done;
    if (done === tasks) break;
    if (failure !== undefined) throw failure;
    // A look finds the dead; the server then starts what waits.
    await served.ask('GET', '/agents?page=1&page_size=1');
    if (samples.length < (SAMPLES * done) / options.tasks) {
      samples.push(takeSample(place.home, served.pid));
      const shown = JSON.stringify(samples.at(-1));
      progress(
        `${done} of ${tasks}, ${(done / seconds(begun)).toFixed(1)} a second, ${kills} killed, ${shown}`,
      );
    }
    if (kills < done / TASKS_A_KILL && kill(runnersOf(place.home), random)) kills++;
    await delay(LOOK_EVERY_MS);
  }
  const took = seconds(begun);
  progress('counting');
  const states = await countStates(served, names);
  stop.abort();
  await Promise.all([following, feeding]);
  const flat = judge(samples);
  const problems = [
    ...flat.filter((level) => !level.flat).map(({ what }) => `${what} grows`),
    ...(done === tasks ? [] : [`${done} ends were told for ${tasks} tasks`]),
    ...wrongStates(states, { tasks, kills }),
  ];
  return {
    held: problems.length === 0,
    problems,
    flat,
    figures: {
      agents,
      tasks,
      'runners killed': kills,
      'tasks by state': JSON.stringify(states),
      'tasks a second': Number((tasks / took).toFixed(1)),
      'journal bytes a task': Math.round(bytesOf(place.home, 'journal.db') / tasks),
      'store bytes': bytesOf(place.home, 'store.db'),
      'write-ahead logs, bytes': bytesOf(place.home, '-wal'),
    },
  };
}

interface Feeding {
  readonly served: Served;
  readonly names: readonly string[];
  readonly tasks: number;
  /** How many tasks of each agent have ended. */
  readonly ended: ReadonlyMap<string, number>;
  readonly signal: AbortSignal;
}

/** Keeps every agent in work until all tasks are given, and answers how many were. Each had one with its creation. */
async function feed({ served, names, tasks, ended, signal }: Feeding): Promise<number> {
  const given = new Map(names.map((name) => [name, 1]));
  let left = tasks - names.length;
  while (!signal.aborted) {
    if (left === 0) break;
    await inTurns(names, async (name) => {
      const before = given.get(name) ?? 0;
      const missing = AHEAD - before + (ended.get(name) ?? 0);
      for (let n = before + 1; n <= before + missing && left > 0 && !signal.aborted; n++) {
        left--;
        given.set(name, n);
        await served.ask('POST', `/agents/${name}/tasks`, {
          task_description: `task ${n}`,
          when_busy: 'queue',
          idempotency_key: `${name}-${n}`,
        });
      }
    });
    await delay(LOOK_EVERY_MS);
  }
  return tasks - left;
}

function preparePlace(stage: Stage): Place {
  const place = stage.place('soak');
  const config = {
    version: 1,
    projects: { [PROJECT]: { repository: stage.repository, default_role: 'quick', sleep_after: '1h' } },
    roles: { quick: { agent: 'command', command: ['true'] } },
  };
  writeFileSync(place.config, JSON.stringify(config));
  return place;
}

async function countStates(served: Served, names: readonly string[]): Promise<Record<string, number>> {
  const states: Record<string, number> = {};
  await inTurns(names, async (name) => {
    for (let page = 1, more = true; more; page++) {
      const answer = await served.ask('GET', `/agents/${name}/tasks?page=${page}&page_size=100`);
      for (const { state } of answer['tasks'] as { state: string }[])
        states[state] = (states[state] ?? 0) + 1;
      more = answer['has_next_page'] === true;
    }
  });
  return states;
}

/** Every task has one end, and only a killed runner interrupts one. */
function wrongStates(
  { complete = 0, interrupted = 0, ...others }: Record<string, number>,
  { tasks, kills }: { readonly tasks: number; readonly kills: number },
): readonly string[] {
  return [
    ...(complete + interrupted === tasks
      ? []
      : [`${complete + interrupted} tasks ended instead of ${tasks}`]),
    ...(interrupted <= kills ? [] : [`${interrupted} tasks were interrupted by ${kills} kills`]),
    ...Object.entries(others).map(([state, count]) => `${count} tasks are ${state}`),
  ];
}

function kill(pids: readonly number[], random: Random): boolean {
  const pid = pids[random.below(pids.length)];
  if (pid === undefined) return false;
  try {
    process.kill(pid, 'SIGKILL');
    return true;
  } catch {
    return false;
  }
}

/** Works on all of them, a few at the same time. */
async function inTurns(all: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  const waiting = [...all];
  const take = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) await work(next);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, take));
}

function seconds(since: number): number {
  return (performance.now() - since) / 1000;
}
