import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';

const SIZE_LIMIT = 256 * 1024;

/** What the first server-sent event with data says; undefined when none comes, for whatever reason. */
export async function firstEvent(
  url: URL,
  { headers, limit_ms }: { readonly headers: Readonly<Record<string, string>>; readonly limit_ms: number },
): Promise<unknown> {
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const signal = AbortSignal.timeout(limit_ms);
  const started = (url.protocol === 'https:' ? httpsRequest : httpRequest)(
    url,
    { headers: { ...headers, accept: 'text/event-stream' }, signal, agent: false },
    (response) => {
      if (response.statusCode !== 200) return void started.destroy();
      let text = '';
      response.setEncoding('utf8');
      response.on('error', () => {});
      response.on('data', (chunk: string) => {
        text += chunk;
        const [, data] = /^event: data\ndata: (.*)\n\n/m.exec(text) ?? [];
        if (data === undefined && text.length < SIZE_LIMIT) return;
        resolve(parsed(data ?? ''));
        started.destroy();
      });
    },
  );
  started.on('error', () => {});
  started.on('close', () => resolve(undefined));
  started.end();
  return promise;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
