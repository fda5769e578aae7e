import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';

/** Makes a server on loopback reachable for containers, at the same port of the address that they know. */
export async function forwardPort(gateway: string, port: number): Promise<AsyncDisposable> {
  const sockets = new Set<Socket>();
  const server = createServer((inside) => {
    const outside = connect(port, '127.0.0.1');
    for (const [one, other] of [
      [inside, outside],
      [outside, inside],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  server.listen(port, gateway);
  await once(server, 'listening');
  return {
    [Symbol.asyncDispose]: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}
