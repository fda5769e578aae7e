import { timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { DECISIONS, type ApprovalAnswer } from '../domain/approval.ts';
import { ERROR_TABLE, FleetError, toFleetError } from '../domain/errors.ts';
import type { Actor } from '../domain/principal.ts';
import { API_VERSIONS } from './api-versions.ts';
import type { EndKind, Runner } from './runner.ts';
import type { ReportRequest } from './runner-client.ts';
import {
  actor,
  body,
  integer,
  object,
  oneOf,
  optionalText,
  text,
  textOrNull,
  webAddress,
  type Fields,
} from './shapes.ts';
import { REPORT_STATES, WHEN_BUSY } from '../domain/task.ts';

const BODY_LIMIT = 1_048_576;
const END_KINDS = ['stop', 'restart', 'delete'] as const satisfies readonly EndKind[];

type Handler = (fields: Fields, by: Actor) => Promise<object>;

/** The runner's API for the fleet: whoever has the agent's key, on a socket that only this user can open. */
export function serveRunner(runner: Runner, socket: string, key: string): Promise<Server> {
  const handlers: Record<string, Handler> = {
    tasks: async (fields, by) =>
      runner.accept({
        task_id: text(fields, 'task_id'),
        message: text(fields, 'message'),
        when_busy: oneOf(WHEN_BUSY, fields, 'when_busy'),
        source: oneOf(['human', 'ai', 'agent'], fields, 'source'),
        by,
      }),
    cancel: async (fields, by) => {
      const task_id = optionalText(fields, 'task_id');
      return runner.cancel({ ...(task_id === undefined ? {} : { task_id }), by });
    },
    reports: async (fields, by) => runner.report(reportOf(fields, by)),
    metadata: async (fields, by) => {
      await runner.setMetadata({ key: text(fields, 'key'), value: textOrNull(fields, 'value'), by });
      return {};
    },
    answers: async (fields, by) => {
      await runner.answer({ approval_id: text(fields, 'approval_id'), answer: answerOf(fields), by });
      return {};
    },
    acknowledge: async (_, by) => {
      await runner.acknowledge({ by });
      return {};
    },
    ping: async () => ({}),
    refresh: async (fields) => {
      await runner.refresh({
        older_than_ms: integer(fields, 'older_than_ms'),
        within_ms: integer(fields, 'within_ms'),
      });
      return {};
    },
    end: async (fields, by) => {
      runner.end(oneOf(END_KINDS, fields, 'kind'), by);
      return {};
    },
  };
  return listen(socket, async (request) => {
    checkKey(request, key);
    const fields = body(await readBody(request));
    return pick(handlers, request)(fields, actor(fields));
  });
}

export interface SelfDoor {
  readonly socket: string;
  readonly agent_name: string;
  /** Keeps what the agent changed for the audit log. */
  record(call: { operation: string; actor: Actor; input: Fields; outcome: string }): void;
}

/** The part of the API that the agent itself may use, on a socket of its own. Whatever it says, it is the agent. */
export function serveSelf(runner: Runner, { socket, agent_name, record }: SelfDoor): Promise<Server> {
  const by: Actor = { principal: `agent:${agent_name}`, door: 'self' };
  const audited =
    (operation: string, handler: Handler): Handler =>
    async (fields, actor) => {
      const call = { operation, actor, input: fields };
      try {
        const answer = await handler(fields, actor);
        record({ ...call, outcome: 'ok' });
        return answer;
      } catch (thrown) {
        record({ ...call, outcome: toFleetError(thrown).code });
        throw thrown;
      }
    };
  const handlers: Record<string, Handler> = {
    tasks: audited('start_agent_task', async (fields) =>
      runner.accept({
        task_id: text(fields, 'task_id'),
        message: text(fields, 'message'),
        when_busy: 'queue',
        source: 'agent',
        by,
      }),
    ),
    reports: audited('report_task', async (fields) => runner.report(reportOf(fields, by))),
    metadata: audited('set_agent_metadata', async (fields) => {
      await runner.setMetadata({ key: text(fields, 'key'), value: textOrNull(fields, 'value'), by });
      return {};
    }),
    details: async () => runner.details(),
    history: async (fields) => runner.page('history', fields),
    log: async (fields) => runner.page('log', fields),
  };
  return listen(socket, async (request) => pick(handlers, request)(body(await readBody(request)), by));
}

function reportOf(fields: Fields, by: Actor): ReportRequest {
  return {
    report_id: text(fields, 'report_id'),
    message: text(fields, 'message'),
    uri: webAddress(fields, 'uri'),
    state: oneOf(REPORT_STATES, fields, 'state'),
    by,
  };
}

function answerOf(fields: Fields): ApprovalAnswer {
  const answer = object(fields['answer'], 'answer');
  return {
    decision: oneOf(DECISIONS, answer, 'decision'),
    option: textOrNull(answer, 'option'),
    answer: textOrNull(answer, 'answer'),
    note: textOrNull(answer, 'note'),
  };
}

function pick(handlers: Record<string, Handler>, request: IncomingMessage): Handler {
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

async function listen(
  socket: string,
  answer: (request: IncomingMessage) => Promise<object>,
): Promise<Server> {
  // Whatever was left there is nobody's: the lease is held.
  rmSync(socket, { recursive: true, force: true });
  // An import would load its lazy exports as well, and cost each runner some megabytes.
  const server = process.getBuiltinModule('node:http').createServer((request, response) => {
    answer(request).then(
      (result) => send(response, 200, result),
      (thrown: unknown) => {
        const error = toFleetError(thrown);
        if (error.code === 'INTERNAL_ERROR') console.error(thrown);
        send(response, ERROR_TABLE[error.code].http, error.toBody());
      },
    );
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const mask = process.umask(0o077);
  server.listen(socket, resolve);
  process.umask(mask);
  await promise;
  return server;
}

function send(response: ServerResponse, status: number, result: object): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(result));
}

async function readBody(request: IncomingMessage): Promise<string> {
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

function checkKey(request: IncomingMessage, key: string): void {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${key}`);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new FleetError('UNAUTHORIZED', 'This runner does not know that key.');
}
