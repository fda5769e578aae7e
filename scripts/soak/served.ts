import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import type { Place } from '../../bench/stage.ts';

export type Answer = Record<string, unknown>;

const SERVER_WAIT_MS = 60_000;
const TRIES = 120;

/** `fleet serve` of a place, asked over HTTP as anybody would. */
export interface Served extends AsyncDisposable {
  readonly pid: number;
  readonly url: string;
  readonly token: string;
  /** A request; what cannot be answered just now is asked again. */
  ask(method: string, path: string, body?: object): Promise<Answer>;
  /** Calls with each event, until the signal. */
  follow(onEvent: (event: Answer) => void, signal: AbortSignal): Promise<void>;
}

export async function serve(place: Place, launcher: string): Promise<Served> {
  const child = spawn(process.execPath, [launcher, 'serve', '--port', '0', '--json'], {
    env: place.env,
    cwd: place.cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const lines = createInterface({ input: child.stdout });
  const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(SERVER_WAIT_MS) });
  const { url, token_file, pid } = JSON.parse(String(line)) as Record<'url' | 'token_file', string> & {
    pid: number;
  };
  const token = readFileSync(token_file, 'utf8').trim();
  const authorization = `Bearer ${token}`;
  const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(`${url}/api/v1${path}`, {
          method,
          headers: { authorization, 'content-type': 'application/json' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        });
        const answer = (await response.json()) as Answer;
        if (response.ok) return answer;
        if (response.status !== 503) throw new Error(`${path}: ${JSON.stringify(answer['error'])}`);
      } catch (thrown) {
        // A connection that was kept for the next request may end just when that is sent.
        if (!(thrown instanceof TypeError) || attempt === TRIES) throw thrown;
      }
      if (attempt === TRIES) throw new Error(`${path} was not answered`);
      await delay(500);
    }
  };
  return {
    pid,
    url,
    token,
    ask,
    follow: async (onEvent, signal) => {
      const response = await fetch(`${url}/events?cursor=0`, { headers: { authorization }, signal });
      if (response.body === null || !response.ok) throw new Error('there are no events');
      let rest = '';
      for await (const chunk of response.body.pipeThrough(new TextDecoderStream())) {
        const blocks = (rest + chunk).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const [, data] = /^data: (.*)$/m.exec(block) ?? [];
          if (data !== undefined) onEvent(JSON.parse(data) as Answer);
        }
      }
    },
    [Symbol.asyncDispose]: async () => {
      if (child.exitCode !== null) return;
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}
