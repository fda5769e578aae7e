import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createAgent, untilStatus } from './agents.ts';
import { builtEdition } from './editions.ts';
import { Figures, megabytes, milliseconds, skippedRow, timed, type Row } from './measure.ts';
import { proportionalKilobytes } from './proportional-kilobytes.ts';
import type { Stage } from './stage.ts';

const AGENTS = 200;
const AT_ONCE = 8;
const SETTLE_MS = 1500;

/** What each of two hundred live agents costs, beside as many bare Node processes. */
export async function live200(stage: Stage): Promise<readonly Row[]> {
  if (process.platform !== 'linux')
    return [skippedRow(`${AGENTS} live agents`, 'needs /proc/PID/smaps_rollup of Linux')];
  const place = stage.place('live-200');
  await using bench = (await builtEdition(stage)).bench.open(place);
  const startMs = await timed(() =>
    inTurns(async () => untilStatus(bench.fleet, await createAgent(bench, 'true'), 'idle')),
  );
  const ours = await memoryUnder(stage, place.home);
  await stage.end(place.home);
  const directory = join(stage.directory, 'bare-200');
  const bareMs = await timed(() => inTurns((index) => startBare(join(directory, String(index)))));
  const bare = await memoryUnder(stage, directory);
  await stage.end(directory);
  return [
    {
      measure: `memory of each of ${AGENTS} live agents' runners`,
      ours: `${megabytes(ours.mean)} (worst ${megabytes(ours.worst)})`,
      peer: `bare Node with SQLite and a socket: ${megabytes(bare.mean)}`,
      ratio: ours.mean / bare.mean,
      target: '≤ 40 MB, also the worst',
      met: ours.worst <= 40 * 1024,
      how: `PSS of ${AGENTS} awake runners (built) side by side after one task each; against ${AGENTS} Node processes that open a WAL database and listen`,
    },
    {
      measure: `starting ${AGENTS} agents, each`,
      ours: milliseconds(startMs / AGENTS),
      peer: `bare Node with SQLite and a socket: ${milliseconds(bareMs / AGENTS)}`,
      ratio: startMs / bareMs,
      target: null,
      met: null,
      how: `create_agent until the first task is done, ${AT_ONCE} asked for at a time, all together divided by ${AGENTS}: worktree, runner, one task and a look at git; against starting the bare process until it listens`,
    },
  ];
}

async function inTurns(work: (index: number) => Promise<void>): Promise<void> {
  await Promise.all(
    Array.from({ length: AT_ONCE }, async (_, turn) => {
      for (let index = turn; index < AGENTS; index += AT_ONCE) await work(index);
    }),
  );
}

async function startBare(directory: string): Promise<void> {
  mkdirSync(directory, { recursive: true });
  const program = fileURLToPath(new URL('./bare-runner.mjs', import.meta.url));
  const child = spawn(process.execPath, [program, directory], {
    stdio: ['ignore', 'pipe', 'inherit'],
    detached: true,
  });
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.unref();
}

async function memoryUnder(stage: Stage, directory: string): Promise<Figures> {
  await delay(SETTLE_MS);
  const found = stage.processes(directory);
  if (found.length !== AGENTS) throw new Error(`${found.length} processes instead of ${AGENTS}`);
  return new Figures(found.map(proportionalKilobytes));
}
