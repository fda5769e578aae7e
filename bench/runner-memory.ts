import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAgent, untilStatus } from './agents.ts';
import { builtEdition, sourceEdition, type Edition } from './editions.ts';
import { alternate, Figures, megabytes, skippedRow, type Row } from './measure.ts';
import { proportionalKilobytes } from './proportional-kilobytes.ts';
import type { Place, Stage } from './stage.ts';

const RUNNERS = 10;
const ROUNDS = 2;
const LIMIT_MB = 40;
/** Until what a start leaves behind is gone: the first look at git, the last writes. */
const SETTLE_MS = 1500;
const SLEEPERS = 3;

/** What a fleet of awake and idle agents costs in memory, and what one asleep costs. */
export async function runnerMemory(stage: Stage): Promise<readonly Row[]> {
  const asleep = await asleepRow(stage);
  if (process.platform !== 'linux') {
    return [skippedRow('memory of an idle runner', 'needs /proc/PID/smaps_rollup of Linux'), asleep];
  }
  const worst: Record<Edition['label'], number> = { built: 0, source: 0 };
  const side = async (edition: Edition): Promise<number> => {
    const figures = await memoryOfRunners(stage, edition);
    worst[edition.label] = Math.max(worst[edition.label], figures.worst);
    return figures.mean;
  };
  const built = await builtEdition(stage);
  const figures = await alternate(
    { rounds: ROUNDS, warmups: 0 },
    {
      bare: async () => (await memoryOfBare(stage)).mean,
      built: () => side(built),
      source: () => side(sourceEdition()),
    },
  );
  const rows = (['built', 'source'] as const).map((label): Row => ({
    measure: `memory of an idle runner, ${label}`,
    ours: `${megabytes(figures[label].median)} (worst ${megabytes(worst[label])})`,
    peer: `bare Node with SQLite and a socket: ${megabytes(figures.bare.median)}`,
    ratio: figures[label].median / figures.bare.median,
    target: label === 'built' ? `≤ ${LIMIT_MB} MB, also the worst` : null,
    met: label === 'built' ? worst[label] <= LIMIT_MB * 1024 : null,
    how: `PSS of ${RUNNERS} awake runners side by side after one task each, average of all and the worst one, ${ROUNDS} rounds, each in a new home, whose first runner has no code cache yet; against ${RUNNERS} Node processes that open a WAL database and listen`,
  }));
  return [...rows, asleep];
}

async function memoryOfRunners(stage: Stage, edition: Edition): Promise<Figures> {
  const place = stage.place(`memory-${edition.label}-${performance.now()}`);
  await using bench = edition.bench.open(place);
  for (let index = 0; index < RUNNERS; index++) {
    await untilStatus(bench.fleet, await createAgent(bench, 'exit 0'), 'idle');
  }
  await delay(SETTLE_MS);
  return await memoryUnder(stage, place.home);
}

async function memoryOfBare(stage: Stage): Promise<Figures> {
  const directory = join(stage.directory, `bare-${performance.now()}`);
  const program = fileURLToPath(new URL('./bare-runner.mjs', import.meta.url));
  for (let index = 0; index < RUNNERS; index++) {
    const own = join(directory, String(index));
    mkdirSync(own, { recursive: true });
    const child = spawn(process.execPath, [program, own], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
    });
    await once(child.stdout, 'data');
    child.stdout.destroy();
    child.unref();
  }
  await delay(SETTLE_MS);
  return memoryUnder(stage, directory);
}

async function memoryUnder(stage: Stage, directory: string): Promise<Figures> {
  const found = stage.processes(directory);
  if (found.length !== RUNNERS) throw new Error(`${found.length} processes instead of ${RUNNERS}`);
  const figures = new Figures(found.map(proportionalKilobytes));
  await stage.end(directory);
  return figures;
}

async function asleepRow(stage: Stage): Promise<Row> {
  const place = stage.place('asleep', { sleep_after: '1s' });
  await using bench = sourceEdition().bench.open(place);
  for (let index = 0; index < SLEEPERS; index++) {
    await untilStatus(bench.fleet, await createAgent(bench, 'exit 0'), 'idle');
  }
  const left = await untilAllSleep(stage, place);
  const { agents } = await bench.fleet.listAgents({});
  const idle = agents.filter((agent) => agent.status === 'idle').length;
  return {
    measure: 'agents asleep',
    ours: `${left} processes for ${idle} idle agents`,
    peer: '–',
    ratio: null,
    target: '0 processes',
    met: left === 0 && idle === SLEEPERS,
    how: `${SLEEPERS} agents with sleep_after 1s, processes of this fleet counted once their runners had said that they sleep`,
  };
}

async function untilAllSleep(stage: Stage, place: Place): Promise<number> {
  const until = performance.now() + 20_000;
  let left = stage.processes(place.home).length;
  while (left > 0 && performance.now() < until) {
    await delay(100);
    left = stage.processes(place.home).length;
  }
  return left;
}
