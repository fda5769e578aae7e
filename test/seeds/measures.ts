import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

const BENCH = fileURLToPath(new URL('../../bench/main.ts', import.meta.url));

/** What the bench measures, as it says when it is asked for something else. */
export async function measures(): Promise<readonly string[]> {
  const bench = spawn(process.execPath, [BENCH, 'nothing'], { stdio: ['ignore', 'ignore', 'pipe'] });
  const chunks: Buffer[] = [];
  bench.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(bench, 'close');
  const [, names = ''] = /There are: (.*)\./.exec(Buffer.concat(chunks).toString('utf8')) ?? [];
  return names.split(', ');
}
