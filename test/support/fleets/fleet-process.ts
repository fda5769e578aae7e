import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Answer } from './fleet-under-test.ts';

/** The command as a user starts it: of the package that was built for this run, else of the checkout. */
export const FLEET =
  process.env['FLEET_UNDER_TEST'] ?? fileURLToPath(new URL('../../../bin/fleet.js', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly env: NodeJS.ProcessEnv;
  readonly cwd?: string;
  readonly stdin?: string;
}

/** Runs `fleet` with arguments until it ends. */
export async function runFleet(
  args: readonly string[],
  { env, cwd, stdin = '' }: RunOptions,
): Promise<Finished> {
  const child = spawn(process.execPath, [FLEET, ...args], { env, cwd, stdio: 'pipe' });
  const output = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (output.stderr += chunk.toString('utf8')));
  child.stdin.on('error', () => {});
  child.stdin.end(stdin);
  const [code, signal] = (await once(child, 'close')) as [number | null, NodeJS.Signals | null];
  return { code, signal, ...output };
}

/** `fleet call`, and the one JSON document that it prints. */
export async function callFleet(operation: string, input: Answer, env: NodeJS.ProcessEnv): Promise<Answer> {
  const { stdout } = await runFleet(['call', operation, JSON.stringify(input)], { env });
  return JSON.parse(stdout) as Answer;
}

export interface ServedFleet extends AsyncDisposable {
  readonly url: string;
  readonly mcp_url: string;
  readonly token: string;
  readonly process: ChildProcess;
  /** A request with the token; JSON in and out. */
  request(method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }>;
  kill(signal: NodeJS.Signals): Promise<void>;
}

/** `fleet serve` on a free port. */
export function serveFleet(env: NodeJS.ProcessEnv, ...args: string[]): Promise<ServedFleet> {
  return serveFleetAs([], env, ...args);
}

/** The same, started by a command that runs another as some user. */
export async function serveFleetAs(
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  ...args: string[]
): Promise<ServedFleet> {
  const [file = '', ...words] = [
    ...command,
    process.execPath,
    FLEET,
    'serve',
    '--port',
    '0',
    '--json',
    ...args,
  ];
  const child = spawn(file, words, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(30_000) })) as [string];
  const { url, mcp_url, token_file } = JSON.parse(line) as {
    url: string;
    mcp_url: string;
    token_file: string;
  };
  const token = env['FLEET_TOKEN'] ?? readFileSync(token_file, 'utf8').trim();
  const kill = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill(signal);
    await exited;
  };
  return {
    url,
    mcp_url,
    token,
    process: child,
    request: async (method, path, body) => {
      const response = await fetch(url + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      return { status: response.status, body: (await response.json()) as Answer };
    },
    kill,
    [Symbol.asyncDispose]: () => kill('SIGKILL'),
  };
}
