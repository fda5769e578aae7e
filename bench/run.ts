import { spawn } from 'node:child_process';
import { once } from 'node:events';

export interface RunOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
}

/** Runs a program to its end with nothing on stdin and gives what it printed. */
export async function run(
  file: string,
  args: readonly string[],
  { env, cwd }: RunOptions = {},
): Promise<string> {
  const child = spawn(file, [...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(env === undefined ? {} : { env }),
    ...(cwd === undefined ? {} : { cwd }),
  });
  const output: Buffer[] = [];
  const errors: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code === 0) return Buffer.concat(output).toString('utf8');
  const said = Buffer.concat([...errors, ...output])
    .toString('utf8')
    .slice(0, 2000);
  throw new Error(`${file} ${args.join(' ')} ended with ${code}: ${said}`);
}
