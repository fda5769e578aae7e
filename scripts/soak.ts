import { parseArgs } from 'node:util';
import { Stage } from '../bench/stage.ts';
import { endRunners } from './soak/sample.ts';
import { soakFleet, type Soaked } from './soak/soak-fleet.ts';

/** `npm run soak [-- --agents 100 --tasks 100000 --seed 1 --json]`: a fleet that works for long, whose runners are killed
 *  on the way, and whether it costs more at the end than in the middle. Nothing of it is left afterwards. */
const { values } = parseArgs({
  options: {
    agents: { type: 'string', default: '100' },
    tasks: { type: 'string', default: '100000' },
    seed: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
  },
});

await main(Number(values.agents), Number(values.tasks), Number(values.seed));

async function main(agents: number, tasks: number, seed: number): Promise<void> {
  if (![agents, tasks, seed].every((each) => Number.isInteger(each) && each > 0) || tasks < agents * 10) {
    process.stderr.write(
      'soak: --agents, --tasks and --seed are whole numbers from 1 on, and each agent gets at least 10 tasks.\n',
    );
    process.exitCode = 2;
    return;
  }
  const stage = new Stage();
  const close = async (): Promise<void> => {
    endRunners(stage.directory);
    await stage.close();
  };
  const progress = (line: string): void => void process.stderr.write(`${line}\n`);
  const enough = new AbortController();
  process.on('SIGINT', () => {
    if (enough.signal.aborted) return void close().finally(() => process.exit(1));
    progress(
      'no more tasks are given: what was seen is judged when the last has ended (Ctrl-C again: at once)',
    );
    enough.abort();
  });
  for (const signal of ['SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void close().finally(() => process.exit(1)));
  try {
    const soaked = await soakFleet(stage, { agents, tasks, seed, progress, enough: enough.signal });
    process.stdout.write(values.json ? `${JSON.stringify(soaked)}\n` : text(soaked));
    process.exitCode = soaked.held ? 0 : 1;
  } finally {
    await close();
  }
}

function text({ held, figures, flat, problems }: Soaked): string {
  const width = Math.max(
    ...[...Object.keys(figures), ...flat.map(({ what }) => what)].map((name) => name.length),
  );
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  const levels = flat.map(
    ({ what, middle, last, flat: isFlat }) =>
      `${what.padEnd(width)}  middle third ${middle}, last third ${last}: ${isFlat ? 'flat' : 'GROWS'}`,
  );
  return [...lines, '', ...levels, '', held ? 'held' : 'NOT HELD', ...problems, ''].join('\n');
}
