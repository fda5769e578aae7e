import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { runChaos } from './chaos/run-chaos.ts';
import { shareCompiledCode } from './cuts/share-compiled-code.ts';
import { crashPage } from './crash-page.ts';
import { crashTable, tableText } from './crash-table.ts';
import { findPoints, pointOf, slugOf, type Point } from './cuts/find-points.ts';
import { giveCutToRunners } from './cuts/give-cut.ts';
import { noteRetried } from './note-retried.ts';
import { readOptions } from './options.ts';
import { Random } from './random.ts';
import { describeFailure, runPoints, type PointResult } from './cuts/run-points.ts';
import { disposeStages } from './stage.ts';

const TELL_EVERY = 100;

const options = readOptions(process.argv.slice(2));
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void disposeStages().finally(() => process.exit(1)));
giveCutToRunners();
shareCompiledCode();
let held = false;
try {
  const cut = await cutEverywhere();
  const shaken = options.only === '' ? (await shake()) || (options.again > 0 && (await shakeAgain())) : true;
  held = cut && shaken;
} catch (thrown) {
  console.error(thrown);
}
await disposeStages();
process.exit(held ? 0 : 1);

async function cutEverywhere(): Promise<boolean> {
  const single = options.only.split('/').length === 3;
  const points = single ? [pointOf(options.only)] : await findPoints(options.only, options.jobs);
  console.log(`${points.length} moments to be stopped at`);
  if (options.write) writeText('./points.json', `${JSON.stringify(countsOf(points), null, 2)}\n`);
  let done = 0;
  const until = options.within === 0 ? Infinity : performance.now() + options.within * 60_000;
  // In any order: what a run that is ended early has seen is a part of everything.
  const shuffled = new Random(options.seed).shuffled(points);
  const results = await runPoints(shuffled, { jobs: options.jobs, until }, (result) => {
    if (result.problems.length > 0) console.log(`FAILED ${describeFailure(result)}`);
    if (++done % TELL_EVERY === 0) console.log(`${done} of ${points.length}`);
  });
  const rows = crashTable(results.toSorted((a, b) => points.indexOf(a.point) - points.indexOf(b.point)));
  console.log(tableText(rows));
  if (options.write) writeText('../../docs/crash-points.md', crashPage(rows));
  const failed = await failedAgain(results.filter(({ problems }) => problems.length > 0));
  console.log(`${results.length} of ${points.length} moments, ${failed.length} failed`);
  return failed.length === 0;
}

/** Those that fail once more, alone; with no further tries all of them. */
async function failedAgain(failed: readonly PointResult[]): Promise<readonly PointResult[]> {
  if (options.again === 0) return failed;
  const still: PointResult[] = [];
  for (const result of failed) {
    const tries = Array.from({ length: options.again }, () => result.point);
    const again = await runPoints(tries, { jobs: 1, until: Infinity }, () => {});
    const held = again.every(({ problems }) => problems.length === 0);
    console.log(
      `${result.point.id}: ${held ? `held ${options.again} times after it had failed` : 'failed again'}`,
    );
    if (!held) still.push(result);
    else noteRetried(`npm run test:faults -- --only ${result.point.id}`);
  }
  return still;
}

/** How many moments there are, for samples. */
function countsOf(points: readonly Point[]): Record<string, number> {
  const groups = Map.groupBy(points, ({ scenario, role }) => `${slugOf(scenario)}/${role}`);
  return Object.fromEntries([...groups].map(([id, group]) => [id, group.length]));
}

function writeText(path: string, text: string): void {
  writeFileSync(fileURLToPath(new URL(path, import.meta.url)), text);
}

/** As with the moments, a problem that does not come again is named, and does not fail the run. */
async function shakeAgain(): Promise<boolean> {
  const held = await shake();
  if (held) noteRetried(`npm run chaos -- --minutes ${options.minutes} --seed ${options.seed}`);
  return held;
}

/** What it did is told when something went wrong. */
async function shake(): Promise<boolean> {
  const { seed, minutes } = options;
  const lines: string[] = [];
  const { calls, kills, problems } = await runChaos({ seed, minutes, tell: (line) => lines.push(line) });
  console.log(`random killer, seed ${seed}: ${calls} calls, ${kills} kills, ${problems.length} problems`);
  if (problems.length > 0) console.log([...lines, ...problems].join('\n'));
  if (problems.length > 0) console.log(`again: npm run chaos -- --minutes ${minutes} --seed ${seed}`);
  return problems.length === 0;
}
