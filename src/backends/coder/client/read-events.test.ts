import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { readEvents } from './read-events.ts';

it('reads events however they are split on the way, and ends when the server does', async () => {
  const printed =
    'event: ping\r\n\r\nevent: data\ndata: {"a":\ndata: 1}\n\n: a comment\nevent: data\ndata: 2\n\n';
  const server = createServer(async (_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const piece of printed.match(/.{1,3}/gs) ?? []) {
      response.write(piece);
      await delay(1);
    }
    response.end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const heard: string[] = [];
  await readEvents(new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`), {
    headers: {},
    signal: AbortSignal.timeout(20_000),
    onData: (text) => heard.push(text),
  });
  server.close();
  expect(heard).toEqual(['{"a":\n1}', '2']);
});
