import { timingSafeEqual } from 'node:crypto';
import { rmSync } from 'node:fs';
import type { IncomingMessage, Server } from 'node:http';
import { FleetError } from '../domain/values/errors.ts';
import { actor, body } from './api/shapes.ts';
import { fleetHandlers, selfActor, selfHandlers, type SelfInterface } from './runner-handlers.ts';
import { pickHandler, readBody, runnerHttp } from './runner-http.ts';
import type { Runner } from './runner.ts';

/** The runner's API for the fleet: for callers with the agent's key, on a socket that only this user can open. */
export function serveRunner(runner: Runner, socket: string, key: string): Promise<Server> {
  const handlers = fleetHandlers(runner);
  return listen(socket, async (request) => {
    checkKey(request, key);
    const fields = body(await readBody(request));
    return pickHandler(handlers, request)(fields, actor(fields));
  });
}

/** The part of the API that the agent itself may use, on a socket of its own. Whatever it says, it is the agent. */
export function serveSelf(
  runner: Runner,
  { socket, ...door }: SelfInterface & { socket: string },
): Promise<Server> {
  const handlers = selfHandlers(runner, door);
  const by = selfActor(door);
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
  throw new FleetError('UNAUTHORIZED', 'The key is not valid for this runner.');
}
