import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { ERROR_TABLE, FleetError, toFleetError } from '../domain/values/errors.ts';
import { httpModule } from '../platform/http-module.ts';
import { API_VERSIONS } from './api/api-versions.ts';
import type { Handler, Handlers } from './runner-handlers.ts';

const BODY_LIMIT = 1_048_576;

/** An HTTP server of a runner: one JSON answer to each request, errors in the form that the fleet reads. */
export function runnerHttp(answer: (request: IncomingMessage) => Promise<object>): Server {
  return httpModule().createServer((request, response) => {
    answer(request).then(
      (result) => send(response, 200, result),
      (thrown: unknown) => {
        const error = toFleetError(thrown);
        if (error.code === 'INTERNAL_ERROR') console.error(thrown);
        send(response, ERROR_TABLE[error.code].http, error.toBody());
      },
    );
  });
}

export function pickHandler(handlers: Handlers, request: IncomingMessage): Handler {
  const path = request.url ?? '';
  const [, version = '', name = ''] = /^\/([^/]+)\/([^/]+)$/.exec(path) ?? [];
  const handler =
    API_VERSIONS.includes(version) && Object.hasOwn(handlers, name) ? handlers[name] : undefined;
  if (handler !== undefined && request.method === 'POST') return handler;
  throw new FleetError(
    'NOT_FOUND',
    `This runner (API ${API_VERSIONS.join(', ')}) has no ${request.method} ${path}.`,
    {
      reason: 'runner_api',
    },
  );
}

function send(response: ServerResponse, status: number, result: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(result));
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > BODY_LIMIT)
      throw new FleetError('TOO_LARGE', `A request to a runner has at most ${BODY_LIMIT} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
