import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { ServedFleet } from '../support/fleets/fleet-process.ts';

export interface OpenGate extends AsyncDisposable {
  readonly mcp_url: string;
}

/** A way to /mcp for a client that can send no token: all else passes as it came. `hear` gets what is answered. */
export async function openGate(
  { mcp_url, token }: ServedFleet,
  hear: (chunk: Buffer) => void = () => {},
): Promise<OpenGate> {
  const { port } = new URL(mcp_url);
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const onward = request(
      { host: '127.0.0.1', port, method, path, headers: { ...headers, authorization: `Bearer ${token}` } },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.on('data', hear).pipe(outgoing);
        answer.on('error', () => outgoing.destroy());
      },
    );
    outgoing.on('close', () => {
      if (!outgoing.writableFinished) onward.destroy();
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  return {
    mcp_url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}/mcp`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
