import { StringDecoder } from 'node:string_decoder';
import type { Readable, Writable } from 'node:stream';

/** An answer that is an error. */
export class RpcError extends Error {
  override readonly name = 'RpcError';
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** The other side is gone: it may have heard what it did not answer. */
export class PeerGone extends Error {
  override readonly name = 'PeerGone';
}

export interface PeerParts {
  readonly input: Readable;
  readonly output: Writable;
  /** Answers a request of the other side; throws an RpcError to refuse it. */
  onRequest(method: string, params: Fields): Promise<object>;
  onNotification(method: string, params: Fields): void;
  /** A line that is no message. */
  onNoise(line: string): void;
}

export type Fields = Readonly<Record<string, unknown>>;

const LINE_LIMIT = 64 * 1024 * 1024;
export const METHOD_NOT_FOUND = -32_601;
const INTERNAL_ERROR = -32_603;

/** JSON-RPC 2.0, one message a line, both sides ask and answer. By hand: a schema library would double a runner's memory. */
export class JsonRpcPeer {
  readonly #parts: PeerParts;
  readonly #waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>();
  readonly #decoder = new StringDecoder('utf8');
  #rest: string[] = [];
  #restLength = 0;
  #next = 1;
  #gone: PeerGone | undefined;

  constructor(parts: PeerParts) {
    this.#parts = parts;
    parts.input.on('data', (chunk: Buffer) => this.#read(this.#decoder.write(chunk)));
    parts.input.on('close', () => this.close('its output ended'));
    parts.output.on('error', () => this.close('it does not listen any more'));
  }

  async request(method: string, params: object): Promise<unknown> {
    if (this.#gone !== undefined) throw this.#gone;
    const id = this.#next++;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ id, method, params });
    return await promise;
  }

  notify(method: string, params: object): void {
    if (this.#gone === undefined) this.#send({ method, params });
  }

  /** Ends every request that waits. */
  close(reason: string): void {
    this.#gone ??= new PeerGone(reason);
    for (const { reject } of this.#waiting.values()) reject(this.#gone);
    this.#waiting.clear();
  }

  #send(message: object): void {
    this.#parts.output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  #read(text: string): void {
    const lines = text.split('\n');
    const last = lines.pop() ?? '';
    for (const line of lines) {
      this.#rest.push(line);
      const whole = this.#rest.join('');
      this.#rest = [];
      this.#restLength = 0;
      if (whole.trim() !== '') this.#receive(whole);
    }
    this.#rest.push(last);
    this.#restLength += last.length;
    if (this.#restLength > LINE_LIMIT) this.close(`it sent a line of more than ${LINE_LIMIT} characters`);
  }

  #receive(line: string): void {
    const message = parse(line);
    if (message === undefined) return this.#parts.onNoise(line);
    const { id, method, params } = message;
    const fields = isFields(params) ? params : {};
    if (typeof method !== 'string') return this.#settle(message);
    if (id === undefined) return this.#parts.onNotification(method, fields);
    this.#parts.onRequest(method, fields).then(
      (result) => this.#send({ id, result }),
      (thrown: unknown) => this.#send({ id, error: errorOf(thrown) }),
    );
  }

  #settle({ id, result, error }: Fields): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (waiting === undefined || typeof id !== 'number') return;
    this.#waiting.delete(id);
    if (isFields(error)) {
      waiting.reject(new RpcError(Number(error['code']), String(error['message']), error['data']));
    } else waiting.resolve(result);
  }
}

export function methodNotFound(method: string): RpcError {
  return new RpcError(METHOD_NOT_FOUND, `This client has no ${method}.`);
}

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function parse(line: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isFields(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function errorOf(thrown: unknown): object {
  if (thrown instanceof RpcError) return { code: thrown.code, message: thrown.message };
  return { code: INTERNAL_ERROR, message: thrown instanceof Error ? thrown.message : String(thrown) };
}
