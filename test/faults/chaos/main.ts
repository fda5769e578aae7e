import { parseArgs } from 'node:util';
import { shareCompiledCode } from '../cuts/share-compiled-code.ts';
import { disposeStages } from '../stage.ts';
import { runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
shareCompiledCode();
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void disposeStages().finally(() => process.exit(1)));
const seed = Number(values.seed ?? Date.now() % 100_000);
console.log(`seed ${seed}; again: npm run chaos -- --minutes ${values.minutes} --seed ${seed}`);
const { calls, kills, problems } = await runChaos({
  seed,
  minutes: Number(values.minutes),
  tell: (line) => console.log(line),
});
console.log(`seed ${seed}: ${calls} calls, ${kills} kills, ${problems.length} problems`);
for (const problem of problems) console.log(`  ${problem}`);
process.exitCode = problems.length === 0 ? 0 : 1;
