import { timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { FleetError, toFleetError } from '../domain/errors.ts';
import type { Actor } from '../domain/principal.ts';
import type { Runner } from './runner.ts';
import { fleetHandlers, reportOf, type Handler, type Handlers } from './runner-handlers.ts';
import { pickHandler, readBody, runnerHttp } from './runner-http.ts';
import { actor, body, text, textOrNull, type Fields } from './shapes.ts';

/** The runner's API for the fleet: whoever has the agent's key, on a socket that only this user can open. */
export function serveRunner(runner: Runner, socket: string, key: string): Promise<Server> {
  const handlers = fleetHandlers(runner);
  return listen(socket, async (request) => {
    checkKey(request, key);
    const fields = body(await readBody(request));
    return pickHandler(handlers, request)(fields, actor(fields));
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
  const handlers: Handlers = {
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
  return listen(socket, async (request) => pickHandler(handlers, request)(body(await readBody(request)), by));
}

async function listen(
  socket: string,
  answer: (request: IncomingMessage) => Promise<object>,
): Promise<Server> {
  // Whatever was left there is nobody's: the lease is held.
  rmSync(socket, { recursive: true, force: true });
  const server = runnerHttp(answer);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once('error', reject);
  const mask = process.umask(0o077);
  server.listen(socket, resolve);
  process.umask(mask);
  await promise;
  return server;
}

function checkKey(request: IncomingMessage, key: string): void {
  const given = Buffer.from(request.headers.authorization ?? '');
  const wanted = Buffer.from(`Bearer ${key}`);
  if (given.length === wanted.length && timingSafeEqual(given, wanted)) return;
  throw new FleetError('UNAUTHORIZED', 'This runner does not know that key.');
}
