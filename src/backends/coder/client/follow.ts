import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

export interface Following {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called for each event that carries data. */
  onData(): void;
}

/** No word for longer than this, and the connection is taken to be dead: a server says something every 15 s. */
const SILENCE_MS = 45_000;

/** Reads server-sent events until they end, for whatever reason. */
export async function follow(url: URL, { headers, signal, onData }: Following): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
    url,
    { headers: { ...headers, accept: 'text/event-stream' }, signal, timeout: SILENCE_MS, agent: false },
    (response) => {
      if (response.statusCode !== 200) return void started.destroy();
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        if (/^event: data$/m.test(chunk)) onData();
      });
      response.on('error', () => {});
      response.on('close', resolve);
    },
  );
  started.on('timeout', () => started.destroy());
  started.on('error', () => {});
  started.on('close', resolve);
  // Whoever only looks once is not held up by it.
  started.on('socket', (socket) => socket.unref());
  started.end();
  await promise;
}
