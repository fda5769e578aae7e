import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { FLEET } from '../support/fleets/fleet-process.ts';

const firstLine = z.strictObject({
  url: z.string(),
  mcp_url: z.string(),
  token_file: z.string(),
  pid: z.int(),
});

export interface ServeProcess extends AsyncDisposable, z.output<typeof firstLine> {
  readonly token: string;
  /** All that it wrote so far. */
  stderr(): string;
  send(options: RawRequest): Promise<RawAnswer>;
}

export interface RawRequest {
  readonly method?: string;
  readonly path?: string;
  /** An empty one is left out. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface RawAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** `fleet serve --json` with what it writes, and requests whose every header is the test's to say. */
export async function startServe(env: NodeJS.ProcessEnv, ...args: string[]): Promise<ServeProcess> {
  const child = spawn(process.execPath, [FLEET, 'serve', '--json', ...args], { env, stdio: 'pipe' });
  let stderr = '';
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString('utf8')));
  const lines = createInterface({ input: child.stdout });
  const [line] = (await once(lines, 'line', { signal: AbortSignal.timeout(30_000) })) as [string];
  const told = firstLine.parse(JSON.parse(line));
  const token = (env['FLEET_TOKEN'] ?? '') || readFileSync(told.token_file, 'utf8').trim();
  return {
    ...told,
    token,
    stderr: () => stderr,
    send: (options) => sendRaw(told.url, token, options),
    [Symbol.asyncDispose]: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGKILL');
      await exited;
    },
  };
}

function sendRaw(url: string, token: string, options: RawRequest): Promise<RawAnswer> {
  const { method = 'GET', path = '/api/v1/agents', body } = options;
  const { hostname, port, host } = new URL(url);
  const all = { host, authorization: `Bearer ${token}`, ...options.headers };
  const headers = Object.fromEntries(Object.entries(all).filter(([, value]) => value !== ''));
  // A connection for each: one on which a body was refused may end at any time.
  const agent = new Agent({ keepAlive: true });
  return new Promise((resolve, reject) => {
    const sending = request({ hostname, port, method, path, headers, setHost: false, agent });
    sending.on('error', reject).on('response', (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        agent.destroy();
        const status = response.statusCode ?? 0;
        const isJson = response.headers['content-type']?.startsWith('application/json') === true;
        resolve({ status, body: isJson ? (JSON.parse(text) as unknown) : text });
      });
    });
    sending.end(body);
  });
}
