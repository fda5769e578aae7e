import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { FleetError, isErrorCode } from '../../domain/values/errors.ts';
import type { Operation } from '../../operations/operation.ts';
import { LAUNCHER } from '../../platform/package.ts';

export type Answer = Readonly<Record<string, unknown>>;

const START_WAIT_MS = 30_000;

/** A `fleet serve` that is there to be killed. */
export class DrillServer implements AsyncDisposable {
  readonly #child: ChildProcess;
  readonly #url: string;
  readonly #token: string;

  private constructor(child: ChildProcess, url: string, token: string) {
    this.#child = child;
    this.#url = url;
    this.#token = token;
  }

  static async start(env: NodeJS.ProcessEnv, cwd: string): Promise<DrillServer> {
    const child = spawn(process.execPath, [LAUNCHER, 'serve', '--port', '0', '--json'], {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const lines = createInterface({ input: child.stdout });
    try {
      const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(START_WAIT_MS) });
      const ready: unknown = JSON.parse(String(line));
      const { url, token_file } = { url: '', token_file: '', ...(ready as object) };
      return new DrillServer(child, url, readFileSync(token_file, 'utf8').trim());
    } catch (cause) {
      child.kill('SIGKILL');
      throw new Error('fleet serve did not say that it is ready', { cause });
    }
  }

  /** One operation over HTTP. */
  async call({ route }: Operation, input: Answer): Promise<Answer> {
    const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(String(input[name])),
    );
    const response = await fetch(`${this.#url}/api/v1${path}`, {
      method: route.method,
      headers: { authorization: `Bearer ${this.#token}`, 'content-type': 'application/json' },
      ...(route.method === 'GET' ? {} : { body: JSON.stringify(input) }),
    });
    const body: unknown = await response.json();
    if (response.ok) return body as Answer;
    throw errorOf(body);
  }

  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const gone = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await gone;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}

function errorOf(body: unknown): Error {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined;
  if (typeof error === 'object' && error !== null && 'code' in error && isErrorCode(error.code)) {
    return new FleetError(error.code, 'message' in error ? String(error.message) : '');
  }
  return new Error(`the server answered ${JSON.stringify(body)}`);
}
