import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { FleetError } from '../../../domain/values/errors.ts';
import { CircuitBreaker } from './circuit-breaker.ts';
import { refusalOf, retryAfter } from './refusal.ts';
import { send, SendFailure, type Incoming } from './send.ts';
import { Semaphore } from './semaphore.ts';

export interface CoderServer {
  readonly url: string;
  readonly token: string;
  /** The variable that the token came from. */
  readonly token_env: string;
}

/** What makes waiting testable. */
export interface Pace {
  now(): number;
  wait(ms: number, signal?: AbortSignal): Promise<unknown>;
  random(): number;
}

export interface Ask {
  readonly method?: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly body?: object;
  readonly bytes?: { readonly type: string; readonly data: Uint8Array };
  /** False for what must not be done twice: then it is repeated only when it certainly did not arrive. */
  readonly safe?: boolean;
  readonly signal?: AbortSignal;
}

interface Answered {
  readonly incoming: Incoming;
  readonly json: unknown;
}

interface Problem {
  readonly problem: string;
  readonly sent: boolean;
}

const TRIES = 4;
const FIRST_WAIT_MS = 100;
/** A longer pause that the server asks for is an error for the caller, who may not want to wait. */
const MAX_WAIT_MS = 5_000;
const AT_ONCE = 6;
const TIMEOUTS_MS = { GET: 20_000, POST: 30_000, PUT: 15_000, PATCH: 20_000, upload: 60_000 };

export const REAL_PACE: Pace = {
  now: () => performance.now(),
  wait: (ms, signal) => delay(ms, undefined, signal === undefined ? {} : { signal }),
  random: Math.random,
};

/** Asks one Coder server. Every answer is checked; what is safe to repeat is repeated. */
export class CoderClient {
  readonly #server: () => CoderServer;
  readonly pace: Pace;
  readonly #breaker: CircuitBreaker;
  readonly #semaphore = new Semaphore(AT_ONCE);
  /** When a path may be asked again after the server wanted a pause. */
  readonly #pauses = new Map<string, number>();

  /** `server` throws while it is not known where the server is, or by whose word. */
  constructor(server: () => CoderServer, pace: Pace = REAL_PACE) {
    this.#server = server;
    this.pace = pace;
    this.#breaker = new CircuitBreaker(() => pace.now());
  }

  get server(): CoderServer {
    return this.#server();
  }

  async ask<Schema extends z.ZodType>(
    path: string,
    schema: Schema,
    ask: Ask = {},
  ): Promise<z.output<Schema>> {
    const method = ask.method ?? 'GET';
    const what = `${method} ${path.split('?')[0]}`;
    const { incoming, json } = await this.#persist(path, what, ask);
    if (incoming.status >= 300) throw this.#refusal(incoming, what);
    const parsed = schema.safeParse(json);
    if (parsed.success) return parsed.data;
    const [issue] = parsed.error.issues;
    throw notUnderstood(what, `${issue?.path.join('.') ?? ''}: ${issue?.message ?? ''}`);
  }

  /** For answers that carry nothing. */
  async tell(path: string, ask: Ask): Promise<void> {
    await this.ask(path, z.unknown(), ask);
  }

  async #persist(path: string, what: string, ask: Ask): Promise<Answered> {
    const safe = ask.safe ?? (ask.method ?? 'GET') === 'GET';
    for (let attempt = 1; ; attempt++) {
      this.#checkPause(path);
      if (!this.#breaker.admits()) throw this.#down('it did not answer several times in a row');
      const outcome = await this.#semaphore.pass(() => this.#try(path, ask));
      if (!('problem' in outcome)) {
        this.#breaker.succeeded();
        return outcome;
      }
      if (!(safe || !outcome.sent) || attempt === TRIES) {
        this.#breaker.failed();
        throw this.#down(`${what}: ${outcome.problem}`, outcome.sent);
      }
      await this.pace.wait(FIRST_WAIT_MS * 2 ** (attempt - 1) * (0.5 + this.pace.random()), ask.signal);
    }
  }

  async #try(path: string, ask: Ask): Promise<Answered | Problem> {
    const { server } = this;
    const method = ask.method ?? 'GET';
    try {
      const incoming = await send(new URL(`/api/v2${path}`, server.url), {
        method,
        headers: {
          accept: 'application/json',
          'coder-session-token': server.token,
          ...(ask.body === undefined ? {} : { 'content-type': 'application/json' }),
          ...(ask.bytes === undefined ? {} : { 'content-type': ask.bytes.type }),
        },
        ...(ask.body === undefined ? {} : { body: JSON.stringify(ask.body) }),
        ...(ask.bytes === undefined ? {} : { body: ask.bytes.data }),
        timeout_ms: ask.bytes === undefined ? TIMEOUTS_MS[method] : TIMEOUTS_MS.upload,
        ...(ask.signal === undefined ? {} : { signal: ask.signal }),
      });
      if (incoming.status === 429) {
        const pause = retryAfter(incoming.headers['retry-after']) * 1000;
        if (pause > MAX_WAIT_MS) this.#pauses.set(pathKey(path), this.pace.now() + pause);
        else await this.pace.wait(pause, ask.signal);
        return pause > MAX_WAIT_MS
          ? { incoming, json: null }
          : { problem: 'it asks for a pause', sent: false };
      }
      return read(incoming);
    } catch (thrown) {
      ask.signal?.throwIfAborted();
      if (thrown instanceof SendFailure) return { problem: thrown.message, sent: thrown.sent };
      throw thrown;
    }
  }

  #checkPause(path: string): void {
    const until = this.#pauses.get(pathKey(path));
    if (until === undefined) return;
    const left = until - this.pace.now();
    if (left <= 0) {
      this.#pauses.delete(pathKey(path));
      return;
    }
    throw new FleetError(
      'RATE_LIMITED',
      `Coder is rate limiting requests; retry in ${Math.ceil(left / 1000)} s.`,
      {
        reason: 'coder_rate_limit',
        retry_after_seconds: Math.ceil(left / 1000),
      },
    );
  }

  #refusal(incoming: Incoming, what: string): FleetError {
    const { url, token_env } = this.server;
    return refusalOf(incoming, { server: url, token_env, what });
  }

  #down(why: string, sent = false): FleetError {
    return new FleetError(
      'SERVICE_UNAVAILABLE',
      `The Coder server at ${this.server.url} cannot be reached (${why}). Retry when it is available.`,
      { reason: sent ? 'coder_outcome_unknown' : 'coder_unavailable' },
    );
  }
}

/** True when the request may have taken effect although nobody said so. */
export function isOutcomeUnknown(thrown: unknown): boolean {
  return thrown instanceof FleetError && thrown.details.reason === 'coder_outcome_unknown';
}

/** True for a refusal with one of these statuses. */
export function isRefusal(thrown: unknown, ...statuses: readonly number[]): thrown is FleetError {
  return thrown instanceof FleetError && statuses.some((status) => thrown.details['status'] === status);
}

function pathKey(path: string): string {
  return path.split('?')[0] ?? path;
}

/** What is not an answer of Coder's own is a problem: a proxy's error page, half a document, a server that is going down. */
function read(incoming: Incoming): Answered | Problem {
  const { status, headers, text } = incoming;
  const isJson = (headers['content-type'] ?? '').includes('json');
  const failed = (problem: string): Problem => ({ problem, sent: true });
  if (status === 502 || status === 503 || status === 504) return failed(`status ${status}`);
  if (status >= 500) return isJson && isOwnWord(text) ? { incoming, json: null } : failed(`status ${status}`);
  if (status >= 300 || text === '') return { incoming, json: null };
  if (!isJson) return failed('an answer that is not JSON');
  try {
    return { incoming, json: JSON.parse(text) };
  } catch {
    return failed('half an answer');
  }
}

/** A 500 with the database's words about a name is an answer, and repeating the request would not change it. */
function isOwnWord(text: string): boolean {
  return /duplicate key|unique constraint|no rows in result set|only owners can cancel/i.test(text);
}

function notUnderstood(what: string, why: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `Fleet does not understand Coder's answer to ${what} (${why}).`,
    {
      reason: 'coder_answer',
    },
  );
}
