import { FleetError } from '../../domain/values/errors.ts';
import { invalidResponse, shown, silentServer, unavailable } from './model-errors.ts';
import type { ModelSettings } from './model-settings.ts';
import { parseJson } from './read-stream.ts';

const CHECK_MS = 10_000;
/** Read of an error's body at most. */
const ERROR_TEXT = 4_000;

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  readonly signal: AbortSignal;
}

/** A status that is not 2xx, with what the server said about it. */
export class RefusedByServer extends Error {
  readonly status: number;

  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** HTTP to one model server. Every request can be aborted at any time, and none waits for ever. */
export class ModelHttp {
  readonly url: string;
  readonly #settings: Pick<ModelSettings, 'silent_after_ms' | 'url'>;
  /** What to do when the server cannot be reached. */
  readonly #hint: string;

  constructor(settings: Pick<ModelSettings, 'silent_after_ms' | 'url'>, hint: string) {
    this.url = settings.url;
    this.#settings = settings;
    this.#hint = hint;
  }

  /** One JSON document. */
  async json(request: HttpRequest): Promise<unknown> {
    const late = AbortSignal.timeout(CHECK_MS);
    const signal = AbortSignal.any([request.signal, late]);
    try {
      const response = await this.#send(request, signal);
      return parseJson(await response.text(), this.url);
    } catch (thrown) {
      request.signal.throwIfAborted();
      if (late.aborted) throw unavailable(this.url, this.#hint, thrown);
      throw this.#asOurs(thrown);
    }
  }

  /** A body as it comes. The types are those that may begin its Content-Type. */
  async *stream(request: HttpRequest, types: readonly string[]): AsyncGenerator<Uint8Array> {
    const silence = new Silence(this.#settings.silent_after_ms);
    const signal = AbortSignal.any([request.signal, silence.signal]);
    let began = false;
    try {
      const { body, headers } = await this.#send(request, signal);
      const type = headers.get('content-type') ?? 'no Content-Type';
      if (body === null) throw invalidResponse(this.url, 'it is empty');
      if (!types.some((each) => type.toLowerCase().startsWith(each))) {
        throw invalidResponse(
          this.url,
          `its type is ${shown(type)}, not ${types[0] ?? ''}; is this the address of the right server?`,
        );
      }
      for await (const chunk of body) {
        began = true;
        silence.broken();
        yield chunk;
      }
    } catch (thrown) {
      request.signal.throwIfAborted();
      if (silence.signal.aborted || hasCode(thrown, 'UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT')) {
        throw silentServer(this.url, this.#settings.silent_after_ms, thrown);
      }
      if (began && !(thrown instanceof FleetError))
        throw invalidResponse(this.url, 'the connection broke in the middle of it', thrown);
      throw this.#asOurs(thrown);
    } finally {
      silence[Symbol.dispose]();
    }
  }

  async #send({ method, path, headers, body }: HttpRequest, signal: AbortSignal): Promise<Response> {
    const response = await fetch(this.url + path, {
      method,
      headers: { ...(body === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal,
      redirect: 'error',
    });
    if (response.ok) return response;
    throw new RefusedByServer(response.status, problemIn(await response.text()));
  }

  #asOurs(thrown: unknown): unknown {
    if (thrown instanceof FleetError || thrown instanceof RefusedByServer) return thrown;
    return unavailable(this.url, this.#hint, thrown);
  }
}

/** Aborts when nothing has come for too long. */
class Silence implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: NodeJS.Timeout;

  constructor(ms: number) {
    this.#timer = setTimeout(() => this.#controller.abort(), ms);
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  broken(): void {
    this.#timer.refresh();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** What a server says of a failure: the three APIs put it in `error`, as a text or with a message. */
function problemIn(text: string): string {
  const start = text.slice(0, ERROR_TEXT);
  try {
    const value: unknown = JSON.parse(start);
    const error = fieldOf(value, 'error') ?? value;
    const message = typeof error === 'string' ? error : fieldOf(error, 'message');
    if (typeof message === 'string') return message;
  } catch {
    // A page of a proxy, for example.
  }
  return start === '' ? 'it gave no reason' : shown(start);
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}

/** The system's own code is on the error or on its cause. */
function hasCode(thrown: unknown, ...codes: readonly string[]): boolean {
  if (!(thrown instanceof Error)) return false;
  if ('code' in thrown && codes.includes(String(thrown.code))) return true;
  return hasCode(thrown.cause, ...codes);
}
