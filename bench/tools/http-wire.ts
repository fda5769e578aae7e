import { connect, type Socket } from 'node:net';
import { once } from 'node:events';

export interface Answered {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** One connection of HTTP/1.1 that is kept, with as little as can be between the bench and what it measures. */
export class HttpWire implements Disposable {
  readonly #port: number;
  #socket: Socket;
  #held = '';
  #answered: PromiseWithResolvers<Answered> | undefined;
  /** Pieces of an answer that never ends. */
  onPiece: ((text: string) => void) | undefined;

  static async open(port: number): Promise<HttpWire> {
    return new HttpWire(port, await connected(port));
  }

  private constructor(port: number, socket: Socket) {
    this.#port = port;
    this.#socket = this.#follow(socket);
  }

  async post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<Answered> {
    // Most servers close a connection that was not used for some seconds, while others are measured.
    if (this.#socket.destroyed || this.#socket.readyState !== 'open') {
      this.#socket = this.#follow(await connected(this.#port));
    }
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    this.#answered = Promise.withResolvers();
    this.#socket.write(
      `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\nContent-Type: application/json\r\nAccept: application/json, text/event-stream\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`,
    );
    return this.#answered.promise;
  }

  /** Asks for a stream of events; `onPiece` gets all of it. */
  listen(path: string): void {
    this.#socket.write(
      `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${this.#port}\r\nAccept: text/event-stream\r\n\r\n`,
    );
  }

  [Symbol.dispose](): void {
    this.#answered = undefined;
    this.#socket.destroy();
  }

  #follow(socket: Socket): Socket {
    this.#held = '';
    socket.setNoDelay(true).setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', () => {});
    socket.on('close', () => this.#answered?.reject(new Error('the connection was closed')));
    return socket;
  }

  #read(text: string): void {
    if (this.onPiece !== undefined) {
      this.onPiece(text);
      return;
    }
    this.#held = this.#held === '' ? text : this.#held + text;
    const whole = answerIn(this.#held);
    if (whole === undefined) return;
    this.#held = '';
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.resolve(whole);
  }
}

async function connected(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  await once(socket, 'connect');
  return socket;
}

/** Undefined while a part of it is missing. */
function answerIn(text: string): Answered | undefined {
  const end = text.indexOf('\r\n\r\n');
  if (end === -1) return undefined;
  const [first = '', ...lines] = text.slice(0, end).split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const status = Number(first.split(' ')[1]);
  const rest = text.slice(end + 4);
  if (headers.get('transfer-encoding') === 'chunked') {
    return rest.endsWith('0\r\n\r\n') ? { status, headers, body: rest } : undefined;
  }
  const length = Number(headers.get('content-length') ?? 0);
  return rest.length >= length ? { status, headers, body: rest } : undefined;
}
