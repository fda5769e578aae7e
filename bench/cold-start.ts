import { builtEdition, sourceEdition } from './editions.ts';
import { fillStore } from './fill-store.ts';
import { alternate, ratioRow, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const AGENTS = 10;
const ROUNDS = 15;
const LIMIT = 4;

/** A command from a new process against the least that a Node process costs. */
export async function coldStart(stage: Stage): Promise<readonly Row[]> {
  const place = stage.place('cold');
  fillStore(place, { agents: AGENTS, journals: AGENTS, repository: stage.repository });
  const built = await builtEdition(stage);
  const source = sourceEdition();
  const command = async (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
    const { cwd } = place;
    const { ms } = await stage.timer.run({
      file: process.execPath,
      args,
      cwd,
      env: { ...place.env, ...env },
    });
    return ms;
  };
  const figures = await alternate(
    { rounds: ROUNDS, warmups: 2 },
    {
      node: () => command(['-e', '0']),
      list: () => command([built.launcher, 'list']),
      version: () => command([built.launcher, 'version']),
      uncached: () => command([built.launcher, 'list'], { NODE_DISABLE_COMPILE_CACHE: '1' }),
      source: () => command([source.launcher, 'list']),
    },
  );
  const row = (measure: string, side: keyof typeof figures, limit?: number): Row =>
    ratioRow(
      {
        measure,
        peer: '`node -e 0`',
        how: `a new process from start to exit, ${AGENTS} agents, ${ROUNDS} rounds; the code cache in the fleet's home is ${side === 'uncached' ? 'turned off, as at the very first start' : 'warm, as from the second start on'}`,
      },
      { ours: figures[side].median, peer: figures.node.median },
      limit,
    );
  return [
    row('`fleet list`, new process, built', 'list', LIMIT),
    row('`fleet version`, new process, built', 'version', LIMIT),
    row('`fleet list`, new process, built, no code cache', 'uncached'),
    row('`fleet list`, new process, source', 'source'),
  ];
}
