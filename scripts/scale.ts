import { parseArgs } from 'node:util';
import { Stage } from '../bench/stage.ts';
import { holdFleet, type Held } from './scale/hold-fleet.ts';

/** `node scripts/scale.ts --live 200 --asleep 1000 [--agent claude] [--json]`: a real fleet of that size on this machine,
 *  what it costs, and whether it held. Nothing of it is left afterwards. Not part of the tests: the full size takes many minutes. */
const { values } = parseArgs({
  options: {
    agent: { type: 'string', default: 'command' },
    live: { type: 'string', default: '200' },
    asleep: { type: 'string', default: '1000' },
    json: { type: 'boolean', default: false },
  },
});

await main(Number(values.live), Number(values.asleep));

async function main(live: number, asleep: number): Promise<void> {
  if (!(Number.isInteger(live) && live > 0 && Number.isInteger(asleep) && asleep > 0)) {
    process.stderr.write('scale: --live and --asleep are whole numbers from 1 on.\n');
    process.exitCode = 2;
    return;
  }
  const stage = new Stage();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => void stage.close().finally(() => process.exit(1)));
  try {
    const held = await holdFleet(stage, {
      agent: values.agent,
      live,
      asleep,
      progress: (line) => process.stderr.write(`${line}\n`),
    });
    process.stdout.write(values.json ? `${JSON.stringify(held)}\n` : text(held));
    process.exitCode = held.held ? 0 : 1;
  } finally {
    await stage.close();
  }
}

function text({ held, figures, problems }: Held): string {
  const width = Math.max(...Object.keys(figures).map((name) => name.length));
  const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(width)}  ${value}`);
  return [...lines, '', held ? 'held' : 'NOT HELD', ...problems, ''].join('\n');
}
