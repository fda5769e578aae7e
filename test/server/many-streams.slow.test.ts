import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect } from 'vitest';
import type { ServedFleet } from '../support/fleets/fleet-process.ts';
import { readEvents } from './event-reader.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const MANY = 1_100;

const it = fleetTest();

/** Asks for events, and reads none of them. */
async function unreadStream(served: ServedFleet): Promise<Socket> {
  const { hostname, port } = new URL(served.url);
  const socket = connect(Number(port), hostname).pause();
  await once(socket, 'connect');
  const lines = [`Host: ${hostname}:${port}`, `Authorization: Bearer ${served.token}`, 'Connection: close'];
  socket.write(`${['GET /events HTTP/1.1', ...lines].join('\r\n')}\r\n\r\n`);
  return socket;
}

it('1,100 event streams that nobody reads hold up no request, and the oldest is closed with a reason [EV-bounded]', async ({
  served,
}) => {
  const oldest = await unreadStream(served);
  const sockets = [oldest];
  while (sockets.length < MANY) sockets.push(await unreadStream(served));
  expect(await text(oldest)).toContain('"reason":"too_many_streams"');
  await using listener = await readEvents(served);
  expect((await fetch(`${served.url}/healthz`)).status).toBe(200);
  const created = await served.request('POST', '/api/v1/agents', {
    project: 'Setup',
    task: 'x',
    name: 'busy',
  });
  expect(created.status).toBe(201);
  await listener.until((frames) => frames.some(({ event }) => event === 'task.ended'));
  for (const socket of sockets) socket.destroy();
});
