import { createServer, request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';

export const FAULTS = ['500', '503', 'reset-before', 'reset-after', 'html', 'cut', '429', 'slow'] as const;
export type Fault = (typeof FAULTS)[number];

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** How many requests met a fault. */
  met: number;
  /** Everything that was passed on to the server, to look for what must not be there. */
  readonly passed: string[];
}

/** Stands between Fleet and a Coder server, and does to each request what it is told. */
export async function startFaultProxy(
  target: string,
  choose: (request: IncomingMessage) => Fault | undefined,
): Promise<FaultProxy> {
  const proxy = { met: 0, passed: [] as string[] };
  const server = createServer((request, response) => {
    const fault = choose(request);
    if (fault !== undefined) proxy.met++;
    proxy.passed.push(`${request.method} ${request.url}`);
    void handle(request, response, { fault, target });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no address');
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${address.port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

async function handle(
  request: IncomingMessage,
  response: ServerResponse,
  { fault, target }: { fault: Fault | undefined; target: string },
): Promise<void> {
  switch (fault) {
    case '500':
    case '503':
      request.resume();
      return answer(response, Number(fault), '{"message":"something broke"}');
    case '429':
      request.resume();
      response.setHeader('retry-after', '1');
      return answer(response, 429, '{"message":"slow down"}');
    case 'html':
      request.resume();
      response.writeHead(200, { 'content-type': 'text/html' });
      return void response.end('<!doctype html><title>proxy</title>');
    case 'reset-before':
      return void request.socket.destroy();
    default:
      return pass(request, response, { fault, target });
  }
}

function pass(
  request: IncomingMessage,
  response: ServerResponse,
  { fault, target }: { fault: Fault | undefined; target: string },
): void {
  const url = new URL(request.url ?? '/', target);
  const { host: _, ...headers } = request.headers;
  const passed = httpRequest(url, { method: request.method ?? 'GET', headers }, (answered) => {
    const chunks: Buffer[] = [];
    answered.on('data', (chunk: Buffer) => chunks.push(chunk));
    if (String(answered.headers['content-type']).includes('event-stream')) {
      response.writeHead(answered.statusCode ?? 502, answered.headers);
      return void answered.pipe(response);
    }
    answered.on('end', () => {
      const body = Buffer.concat(chunks);
      if (fault === 'reset-after') return void request.socket.destroy();
      const { 'content-length': __, 'transfer-encoding': ___, ...kept } = answered.headers;
      response.writeHead(answered.statusCode ?? 502, { ...kept, 'content-length': body.length });
      if (fault !== 'cut') return void response.end(body);
      response.write(body.subarray(0, Math.floor(body.length / 2)));
      setTimeout(() => request.socket.destroy(), 5);
    });
  });
  passed.on('error', () => request.socket.destroy());
  if (fault === 'slow') setTimeout(() => request.pipe(passed), 200);
  else request.pipe(passed);
}

function answer(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(body);
}
