import type { Socket } from 'node:net';
import { StreamChannel } from './stream-channel.ts';

/** Messages between processes of one fleet. */
export class SocketChannel extends StreamChannel {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({ input: socket, output: socket, limit: Number.POSITIVE_INFINITY });
    this.#socket = socket;
    socket.once('close', () => this.end('the other process has ended'));
  }

  override async close(): Promise<void> {
    await super.close();
    this.#socket.destroySoon();
  }
}
