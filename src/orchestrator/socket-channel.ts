import type { Socket } from 'node:net';
import type { Channel } from './channel.ts';
import { isRpcMessage, type RpcMessage } from './json-rpc.ts';

/** Messages between processes of one fleet, one a line. */
export class SocketChannel implements Channel {
  readonly cancelsByStream = false;
  deliver: Channel['deliver'] = () => {};
  ended: Channel['ended'] = () => {};
  readonly #socket: Socket;
  #held: Buffer[] = [];
  #unsent = '';
  #sending: NodeJS.Immediate | undefined;

  constructor(socket: Socket) {
    this.#socket = socket;
    socket.on('data', (chunk: Buffer) => this.#read(chunk));
    socket.on('error', () => {});
    socket.once('close', () => this.ended('the other process has ended'));
  }

  async send(message: RpcMessage): Promise<void> {
    if (this.#socket.destroyed) throw new Error('the other process has ended');
    this.#unsent += `${JSON.stringify(message)}\n`;
    // What is said in one turn goes in one piece: writing costs more than what is written.
    this.#sending ??= setImmediate(() => this.#flush());
  }

  async close(): Promise<void> {
    this.#flush();
    this.#socket.end();
    this.#socket.destroySoon();
  }

  #flush(): void {
    clearImmediate(this.#sending);
    this.#sending = undefined;
    if (this.#unsent !== '' && this.#socket.writable) this.#socket.write(this.#unsent);
    this.#unsent = '';
  }

  #read(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      const piece = chunk.subarray(start, end);
      const line = this.#held.length === 0 ? piece : Buffer.concat([...this.#held, piece]);
      this.#held = [];
      start = end + 1;
      const message: unknown = JSON.parse(line.toString('utf8'));
      if (isRpcMessage(message)) this.deliver(message);
    }
    if (start < chunk.length) this.#held.push(chunk.subarray(start));
  }
}
