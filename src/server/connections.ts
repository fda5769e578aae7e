import { once } from 'node:events';
import type { Server } from 'node:http';
import type { Socket } from 'node:net';

const GRACE_MS = 2_000;
const LOOK_MS = 20;

/** Knows which connections wait for an answer. Node takes one that has not asked yet (a browser opens some
 *  ahead of need) for a busy one, and would not end while it is there. */
export class Connections {
  readonly #server: Server;
  readonly #open = new Set<Socket>();
  readonly #busy = new Set<Socket>();

  constructor(server: Server) {
    this.#server = server;
    server.on('connection', (socket: Socket) => {
      this.#open.add(socket);
      socket.once('close', () => this.#open.delete(socket));
    });
    server.prependListener('request', ({ socket }, response) => {
      this.#busy.add(socket);
      response.once('close', () => this.#busy.delete(socket));
    });
  }

  /** Answers that are being sent get a moment to end; a client that does not read them does not hold us up. */
  async closeServer(): Promise<void> {
    const closed = once(this.#server, 'close');
    this.#server.close();
    const look = setInterval(() => {
      for (const socket of this.#open) if (!this.#busy.has(socket)) socket.destroy();
    }, LOOK_MS);
    const late = setTimeout(() => this.#server.closeAllConnections(), GRACE_MS);
    await closed;
    clearInterval(look);
    clearTimeout(late);
  }
}
