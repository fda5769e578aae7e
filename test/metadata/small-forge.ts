import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

export type Respond = (request: IncomingMessage, response: ServerResponse) => void;

/** An HTTP server on loopback that answers as a forge would, or as none should; each path has its answer. */
export interface SmallForge extends AsyncDisposable {
  readonly url: string;
  readonly host: string;
  /** What was asked of it: method, path and headers. */
  readonly asked: { readonly path: string; readonly headers: IncomingMessage['headers'] }[];
  /** By path; a value is sent as JSON, with an etag that it is known by. */
  readonly answers: Map<string, unknown>;
}

export async function smallForge(): Promise<SmallForge> {
  const asked: SmallForge['asked'] = [];
  const answers = new Map<string, unknown>();
  const server = createServer((request, response) => {
    const path = request.url ?? '';
    asked.push({ path, headers: request.headers });
    const answer = answers.get(path);
    if (typeof answer === 'function') return (answer as Respond)(request, response);
    if (answer === undefined) return void response.writeHead(404).end('{}');
    const body = JSON.stringify(answer);
    const etag = `"${createHash('sha256').update(body).digest('hex')}"`;
    if (request.headers['if-none-match'] === etag) return void response.writeHead(304, { etag }).end();
    response.writeHead(200, { 'content-type': 'application/json', etag }).end(body);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    host: `127.0.0.1:${port}`,
    asked,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
