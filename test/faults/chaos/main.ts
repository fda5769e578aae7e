import { parseArgs } from 'node:util';
import { runChaos } from './run-chaos.ts';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '10' }, seed: { type: 'string' } },
});
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
