import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { rolldown } from 'rolldown';
import * as sourceBench from './opened-bench.ts';
import type { Stage } from './stage.ts';

/** One form of the same program: the sources as Node runs them in a checkout, or the built package. */
export interface Edition {
  readonly label: 'source' | 'built';
  /** The file of the `fleet` command. */
  readonly launcher: string;
  /** The way in within this process. */
  readonly bench: typeof sourceBench;
}

const ROOT = fileURLToPath(new URL('..', import.meta.url));

export function sourceEdition(): Edition {
  return { label: 'source', launcher: join(ROOT, 'bin', 'fleet.js'), bench: sourceBench };
}

const builds = new WeakMap<Stage, Promise<Edition>>();

/** The package as npm would install it, made once for a stage. */
export function builtEdition(stage: Stage): Promise<Edition> {
  const known = builds.get(stage) ?? build(stage);
  builds.set(stage, known);
  return known;
}

async function build(stage: Stage): Promise<Edition> {
  const root = join(stage.directory, 'package');
  mkdirSync(root);
  for (const part of ['bin', 'package.json']) cpSync(join(ROOT, part), join(root, part), { recursive: true });
  await stage.timer.ms(process.execPath, join(ROOT, 'scripts', 'build.ts'), join(root, 'dist'));
  return { label: 'built', launcher: join(root, 'bin', 'fleet.js'), bench: await buildBench(root) };
}

/** The same module inside the package, so that what it starts is the built runner. */
async function buildBench(root: string): Promise<typeof sourceBench> {
  const bundle = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { 'opened-bench': 'bench/opened-bench.ts' },
  });
  await bundle.write({ dir: join(root, 'bench'), format: 'esm' });
  await bundle.close();
  const bench: typeof sourceBench = await import(pathToFileURL(join(root, 'bench', 'opened-bench.js')).href);
  return bench;
}
