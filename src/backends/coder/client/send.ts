import type { IncomingHttpHeaders } from 'node:http';
import { httpModule } from '../../../platform/http-module.ts';

export interface Outgoing {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  readonly timeout_ms: number;
  readonly signal?: AbortSignal;
}

export interface Incoming {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** The request failed on its way. `sent` is false when it certainly did not arrive. */
export class SendFailure extends Error {
  override readonly name = 'SendFailure';
  readonly sent: boolean;

  constructor(message: string, sent: boolean, cause?: unknown) {
    super(message, { cause });
    this.sent = sent;
  }
}

const SOCKETS = 16;
const AGENTS = {
  'http:': new (httpModule('http:').Agent)({ keepAlive: true, maxSockets: SOCKETS }),
  'https:': new (httpModule('https:').Agent)({ keepAlive: true, maxSockets: SOCKETS }),
};

/** The largest answer that is taken: a page of 200 workspaces with long histories of statuses. */
const ANSWER_LIMIT = 64 * 1024 * 1024;

/** One request and its whole answer. */
export function send(url: URL, outgoing: Outgoing): Promise<Incoming> {
  const { promise, resolve, reject } = Promise.withResolvers<Incoming>();
  const protocol = url.protocol === 'https:' ? 'https:' : 'http:';
  const started = httpModule(protocol).request(
    url,
    {
      method: outgoing.method,
      headers: {
        ...outgoing.headers,
        ...(outgoing.body === undefined ? {} : { 'content-length': Buffer.byteLength(outgoing.body) }),
      },
      agent: AGENTS[protocol],
      ...(outgoing.signal === undefined ? {} : { signal: outgoing.signal }),
    },
    (response) => {
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        size += chunk.length;
        if (size > ANSWER_LIMIT) started.destroy(new SendFailure('the answer is too large', true));
      });
      response.on('error', (cause) => reject(failureOf(cause, true)));
      response.on('end', () => {
        if (!response.complete) return reject(new SendFailure('the answer was cut off', true));
        const text = Buffer.concat(chunks).toString('utf8');
        resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
      });
    },
  );
  let connected = false;
  started.on('socket', (socket) => {
    if (!socket.connecting) connected = true;
    else socket.once(protocol === 'https:' ? 'secureConnect' : 'connect', () => (connected = true));
  });
  // A limit for the whole of it: a server that trickles is as good as silent.
  const timer = setTimeout(
    () => started.destroy(new SendFailure(`no answer within ${outgoing.timeout_ms / 1000} s`, connected)),
    outgoing.timeout_ms,
  );
  started.on('error', (cause) => reject(failureOf(cause, connected)));
  started.on('close', () => clearTimeout(timer));
  started.end(outgoing.body);
  return promise;
}

function failureOf(cause: Error, sent: boolean): SendFailure {
  if (cause instanceof SendFailure) return cause;
  const code = 'code' in cause ? String(cause.code) : '';
  return new SendFailure(code === '' ? cause.message : code, sent, cause);
}
