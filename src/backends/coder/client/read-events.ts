import { createParser } from 'eventsource-parser';
import { httpModule } from '../../../platform/http-module.ts';

export interface EventReading {
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  /** Called with what an event of the kind `data` carries. */
  onData(text: string): void;
  /** True: a process that has nothing else to do ends without waiting for it. */
  readonly inBackground?: boolean;
}

/** No word for longer than this, and the connection is taken to be dead: a server says something every 15 s. */
const SILENCE_MS = 45_000;
const EVENT_LIMIT = 1024 * 1024;

/** Reads server-sent events until they end, for whatever reason. */
export async function readEvents(url: URL, reading: EventReading): Promise<void> {
  const { headers, signal, onData, inBackground = false } = reading;
  const { promise, resolve } = Promise.withResolvers<void>();
  const started = httpModule(url.protocol).request(
    url,
    { headers: { ...headers, accept: 'text/event-stream' }, signal, timeout: SILENCE_MS, agent: false },
    (response) => {
      if (response.statusCode !== 200) return void started.destroy();
      const parser = createParser({
        onEvent: ({ event, data }) => {
          if (event === 'data') onData(data);
        },
        onError: ({ type }) => {
          if (type === 'max-buffer-size-exceeded') started.destroy();
        },
        maxBufferSize: EVENT_LIMIT,
      });
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => parser.feed(chunk));
      response.on('error', () => {});
      response.on('close', resolve);
    },
  );
  started.on('timeout', () => started.destroy());
  started.on('error', () => {});
  started.on('close', resolve);
  if (inBackground) started.on('socket', (socket) => socket.unref());
  started.end();
  await promise;
}
