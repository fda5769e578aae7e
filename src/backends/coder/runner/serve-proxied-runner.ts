import type { IncomingMessage, Server } from 'node:http';
import type { KeyObject } from 'node:crypto';
import { body, actor } from '../../../runner/api/shapes.ts';
import { pickHandler, readBody, runnerHttp } from '../../../runner/runner-http.ts';
import type { Handlers } from '../../../runner/runner-handlers.ts';
import type { Fields } from '../../../runner/api/shapes.ts';
import { checkSignature } from './check-signature.ts';
import { READS } from './work-handlers.ts';

export interface ProxiedRunnerParts {
  readonly port: number;
  readonly workspace_id: string;
  readonly key: KeyObject;
  readonly handlers: Handlers;
  /** Added to every answer. */
  news(fields: Fields): object;
}

/** A request that is sent again within this time gets the first one's answer. */
const REMEMBER_MS = 10 * 60_000;

/** The runner's API on a port of the workspace. Anything there can reach it: only requests that the fleet signed are accepted. */
export async function serveProxiedRunner(parts: ProxiedRunnerParts): Promise<Server> {
  const answers = new Map<string, { readonly at: number; readonly answer: Promise<object> }>();
  const server = runnerHttp(async (request) => {
    if (request.method === 'GET' && request.url === '/healthz') return { ok: true };
    const text = await readBody(request);
    const id = check(parts, request, text);
    forgetBefore(answers, Date.now() - REMEMBER_MS);
    const known = answers.get(id);
    if (known !== undefined) return known.answer;
    const answer = answerTo(parts, request, body(text));
    answers.set(id, { at: Date.now(), answer });
    if (READS.has(request.url?.split('/').at(-1) ?? ''))
      void answer.catch(() => {}).finally(() => answers.delete(id));
    return answer;
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  server.listen(parts.port, '127.0.0.1', resolve);
  await promise;
  return server;
}

async function answerTo(
  parts: ProxiedRunnerParts,
  request: IncomingMessage,
  fields: Fields,
): Promise<object> {
  const result = await pickHandler(parts.handlers, request)(fields, actor(fields));
  return { result, news: parts.news(fields) };
}

function check({ key, workspace_id }: ProxiedRunnerParts, request: IncomingMessage, text: string): string {
  const { headers, url = '' } = request;
  return checkSignature(key, { headers, path: url, body: text, workspace_id }, Date.now());
}

function forgetBefore(answers: Map<string, { readonly at: number }>, time: number): void {
  for (const [id, { at }] of answers) {
    if (at >= time) return;
    answers.delete(id);
  }
}
