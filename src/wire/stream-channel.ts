import type { Readable, Writable } from 'node:stream';
import type { Channel } from './channel.ts';
import { isRpcMessage, type RpcMessage } from './json-rpc.ts';
import { LimitedLines, MESSAGE_LIMIT, type MessageOutline } from './limited-lines.ts';
import { AnswerTooLarge } from './rpc-error.ts';
import { jsonIn } from '../domain/values/text.ts';

export interface StreamChannelParts {
  readonly input: Readable;
  readonly output: Writable;
  /** How many bytes a message may have. */
  readonly limit?: number;
  /** Changes a line before it is parsed. */
  readonly clean?: (line: string) => string;
  /** Called with a line that is not a message: many programs greet on stdout. */
  readonly onNoise?: (line: string) => void;
}

/** Messages on a pair of streams, one a line. The owner of the streams says when they end. */
export class StreamChannel implements Channel {
  readonly cancelsByStream = false;
  deliver: Channel['deliver'] = () => {};
  unreadable: Channel['unreadable'] = () => {};
  ended: Channel['ended'] = () => {};
  readonly #parts: StreamChannelParts;
  readonly #limit: number;
  #unsent = '';
  #turn: NodeJS.Immediate | undefined;
  #sent = 0;
  /** True when several messages were sent in the last turn of the event loop. */
  #crowded = false;
  #over: string | undefined;

  constructor(parts: StreamChannelParts) {
    this.#parts = parts;
    this.#limit = parts.limit ?? MESSAGE_LIMIT;
    const lines = new LimitedLines(
      {
        onLine: (line) => this.#read(line.toString('utf8')),
        onTooLong: (outline) => this.#refuse(outline),
      },
      this.#limit,
    );
    parts.input.on('data', (chunk: Buffer) => lines.read(chunk));
    // A program that no longer reads has ended, or is about to.
    parts.output.on('error', () => {});
  }

  get isOver(): boolean {
    return this.#over !== undefined;
  }

  async send(message: RpcMessage): Promise<void> {
    if (this.#over !== undefined) throw new Error(this.#over);
    this.#unsent += `${JSON.stringify(message)}\n`;
    this.#sent += 1;
    if (this.#turn !== undefined) return;
    // What is sent in one turn goes in one piece: writing costs more than what is written. One alone does not wait.
    if (!this.#crowded) this.#flush();
    this.#turn = setImmediate(() => this.#endTurn());
  }

  /** Nothing is read or sent any more. With a reason when it was not us who ended it. */
  end(reason: string | undefined): void {
    if (this.#over !== undefined) return;
    this.#over = reason ?? 'the connection was closed';
    this.ended(reason);
  }

  async close(): Promise<void> {
    this.#flush();
    this.end(undefined);
    this.#parts.output.end();
  }

  #endTurn(): void {
    this.#turn = undefined;
    this.#crowded = this.#sent > 1;
    this.#sent = 0;
    this.#flush();
  }

  #flush(): void {
    if (this.#unsent !== '' && this.#parts.output.writable) this.#parts.output.write(this.#unsent);
    this.#unsent = '';
  }

  /** The answer to one request fails; a question of the other side is answered, because it waits. */
  #refuse({ id, hasMethod }: MessageOutline): void {
    if (this.isOver || id === undefined) return;
    if (!hasMethod) return this.unreadable(id, new AnswerTooLarge(this.#limit));
    const error = { code: -32_600, message: `a message must not be larger than ${this.#limit} bytes` };
    this.send({ jsonrpc: '2.0', id, error }).catch(() => {});
  }

  #read(text: string): void {
    if (this.isOver || text.trim() === '') return;
    const { clean, onNoise } = this.#parts;
    const line = clean === undefined ? text : clean(text);
    const message = jsonIn(line);
    if (isRpcMessage(message)) this.deliver(message);
    else onNoise?.(line);
  }
}
