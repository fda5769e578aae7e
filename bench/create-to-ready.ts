import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { createAgent, factTime, untilStatus } from './agents.ts';
import type { OpenedBench } from './opened-bench.ts';
import { builtEdition, sourceEdition, type Edition } from './editions.ts';
import { alternate, milliseconds, ratioRow, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 7;
const FACTOR = 1.2;
const ALLOWANCE_MS = 200;

/** From the call of create_agent to the fact that the agent is ready, beside what it cannot do without. */
export async function createToReady(stage: Stage): Promise<readonly Row[]> {
  const built = await sides(stage, await builtEdition(stage));
  const source = await sides(stage, sourceEdition());
  await using _built = built.bench;
  await using _source = source.bench;
  let clones = 0;
  const figures = await alternate(
    { rounds: ROUNDS, warmups: 2 },
    {
      built: built.side,
      source: source.side,
      program: () => stage.timer.ms('sh', '-s'),
      node: () => stage.timer.ms(process.execPath, '-e', '0'),
      clone: async () => {
        const directory = join(stage.directory, 'clones', String(++clones));
        const taken = await stage.git('clone', '--quiet', '--shared', '.', directory);
        rmSync(directory, { recursive: true });
        return taken;
      },
    },
  );
  const program = figures.program.median;
  const clone = figures.clone.median;
  const limit = FACTOR * program + ALLOWANCE_MS + clone;
  const parts = `\`sh -s\` ${milliseconds(program)}, \`git clone --shared\` of the same repository ${milliseconds(clone)}, bare \`node -e 0\` ${milliseconds(figures.node.median)}`;
  const rows = (['built', 'source'] as const).map((label): Row => {
    const ours = figures[label].median;
    const { seen } = label === 'built' ? built : source;
    return {
      ...ratioRow(
        {
          measure: `create_agent to ready, ${label}`,
          peer: 'bare program + git clone --shared',
          how: `in process, from the call to the time of the fact agent.ready (clock shared by all processes), code cache warm, ${ROUNDS} rounds; ${parts}; the caller saw it after ${milliseconds(seen())}`,
        },
        { ours, peer: program + clone },
      ),
      target: `≤ ${FACTOR} × program + 0.2 s + clone = ${milliseconds(limit)}`,
      met: ours <= limit,
    };
  });
  return [
    ...rows,
    ratioRow(
      {
        measure: 'create_agent to ready, built, without the clone',
        peer: 'bare `node -e 0`',
        how: 'the first row less git clone --shared: a runner is a Node process, so this is the part that is ours',
      },
      { ours: figures.built.median - clone, peer: figures.node.median },
    ),
  ];
}

async function sides(stage: Stage, edition: Edition) {
  const bench = edition.bench.open(stage.place(`create-${edition.label}`));
  const seen: number[] = [];
  return {
    bench,
    side: () => createOnce(bench, seen),
    seen: () => seen.toSorted((a, b) => a - b)[Math.floor(seen.length / 2)] ?? Number.NaN,
  };
}

async function createOnce(bench: OpenedBench, seen: number[]): Promise<number> {
  const start = Number(process.hrtime.bigint()) / 1e6;
  const name = await createAgent(bench, 'exit 0');
  await untilStatus(bench.fleet, name, 'idle', 'busy');
  seen.push(Number(process.hrtime.bigint()) / 1e6 - start);
  const ready = await factTime(bench.fleet, name, 'agent.ready');
  await untilStatus(bench.fleet, name, 'idle');
  await bench.call('delete_agent', { agent_name: name, discard_work: true });
  return ready - start;
}
