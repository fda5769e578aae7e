import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { FleetError } from '../../domain/values/errors.ts';
import { httpModule } from '../../platform/http-module.ts';
import { invalidResponse, shown, silentServer, unavailable } from './model-errors.ts';
import type { ModelSettings } from './model-settings.ts';
import { parseJson } from './read-stream.ts';

const CHECK_MS = 10_000;
/** Characters that are read of an error's body at most, and of any other document. */
const ERROR_TEXT = 4_000;
const DOCUMENT_TEXT = 16 * 1024 * 1024;

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

/** HTTP to one model server. `fetch` would take longer to load than all that comes before the first request. Every request can be aborted at any time, and none waits for ever. */
export class ModelHttp {
  /** Where the server is, for messages. */
  readonly url: string;
  readonly #settings: Pick<ModelSettings, 'silent_after_ms' | 'url'>;
  /** What to do when the server cannot be reached. */
  readonly #hint: string;

  constructor(settings: Pick<ModelSettings, 'silent_after_ms' | 'url'>, hint: string) {
    this.url = shownUrl(settings.url);
    this.#settings = settings;
    this.#hint = hint;
  }

  /** One JSON document. */
  async json(request: HttpRequest): Promise<unknown> {
    const late = AbortSignal.timeout(CHECK_MS);
    const signal = AbortSignal.any([request.signal, late]);
    try {
      return parseJson(await textOf(await this.#send(request, signal), DOCUMENT_TEXT), this.url);
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
      const response = await this.#send(request, signal);
      const type = response.headers['content-type'] ?? 'no Content-Type';
      if (!types.some((each) => type.toLowerCase().startsWith(each))) {
        throw invalidResponse(
          this.url,
          `its type is ${shown(type)}, not ${types[0] ?? ''}. Check the address: --url, or session.url in fleet.yaml`,
        );
      }
      for await (const chunk of response) {
        began = true;
        silence.broken();
        yield chunk;
      }
    } catch (thrown) {
      request.signal.throwIfAborted();
      if (silence.signal.aborted) {
        throw silentServer(this.url, this.#settings.silent_after_ms, thrown);
      }
      if (began && !(thrown instanceof FleetError))
        throw invalidResponse(this.url, 'the connection broke in the middle of it', thrown);
      throw this.#asOurs(thrown);
    } finally {
      silence[Symbol.dispose]();
    }
  }

  async #send({ method, path, headers, body }: HttpRequest, signal: AbortSignal): Promise<IncomingMessage> {
    const url = new URL(this.#settings.url + path);
    const text = body === undefined ? undefined : JSON.stringify(body, wellFormed);
    const request = httpModule(url.protocol).request(url, {
      method,
      headers: { ...(text === undefined ? {} : { 'Content-Type': 'application/json' }), ...headers },
      // A kept connection that the server closes meanwhile would fail the next request.
      agent: false,
      signal,
    });
    // Sent as one piece, with its length: some servers refuse a body in chunks.
    request.end(text);
    const [response] = (await once(request, 'response')) as [IncomingMessage];
    // What comes after the answer has begun ends the reading of it.
    request.on('error', () => {});
    const status = response.statusCode ?? 0;
    if (status >= 200 && status < 300) return response;
    const problem = problemIn(await textOf(response, ERROR_TEXT));
    throw new RefusedByServer(status, redirection(status, response.headers.location) ?? problem);
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

/** An address without the password in it. */
function shownUrl(url: string): string {
  return url.replace(/^(https?:\/\/)[^/]*@/, '$1');
}

/** Half of a surrogate pair, from a text that was cut, makes some servers refuse the whole request. */
function wellFormed(_key: string, value: unknown): unknown {
  return typeof value === 'string' ? value.toWellFormed() : value;
}

/** The beginning of a body: a server may send without end. */
async function textOf(response: IncomingMessage, limit: number): Promise<string> {
  let text = '';
  for await (const chunk of response.setEncoding('utf8')) {
    text += String(chunk);
    if (text.length >= limit) break;
  }
  return text.slice(0, limit);
}

/** Redirects are not followed: a message and its key are for the address of the settings. */
function redirection(status: number, location: string | undefined): string | undefined {
  if (status < 300 || status >= 400 || location === undefined) return undefined;
  return `it redirects to ${shown(location)}, and redirects are not followed. Set the address with --url, or session.url in fleet.yaml`;
}

/** What a server says of a failure: the three APIs put it in `error`, as a text or with a message. */
function problemIn(text: string): string {
  try {
    const value: unknown = JSON.parse(text);
    const error = fieldOf(value, 'error') ?? value;
    const message = typeof error === 'string' ? error : fieldOf(error, 'message');
    if (typeof message === 'string') return message;
  } catch {
    // A page of a proxy, for example.
  }
  return text === '' ? 'it gave no reason' : shown(text);
}

function fieldOf(value: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined;
  return Object.entries(value).find(([name]) => name === key)?.[1];
}
