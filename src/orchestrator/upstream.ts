import { setTimeout as delay } from 'node:timers/promises';
import { FleetError } from '../domain/errors.ts';
import { agentError } from './agent-error.ts';
import { CallSamples } from './call-samples.ts';
import { connect, type Connection } from './connection.ts';
import type { JsonObject } from './json-rpc.ts';
import type { ConnectionStatus, McpConnection, UpstreamLimits } from './mcp-connection.ts';
import type { OfferCache } from './offer-cache.ts';
import { listOffers, NO_OFFERS, type Offers } from './offers.ts';
import type { Era } from './protocol.ts';
import { Questions } from './questions.ts';
import { httpStatusOf, WireLost, WireTimeout } from './rpc-error.ts';
import type { Told } from './rpc-peer.ts';
import { makeRedact, type Redact } from './secrets.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { UpstreamRequest } from './upstream-request.ts';

export interface UpstreamParts {
  readonly definition: ServerDefinition;
  readonly key: string;
  /** All that the server's program starts is found by this. */
  readonly marker: string;
  readonly cache: OfferCache;
  readonly limits: UpstreamLimits;
  /** What it offers, or how it is, has changed. */
  onChange(): void;
  /** What it said to everybody. */
  onNotification(told: Told): void;
}

/** One upstream server for its whole life: started when it is needed, stopped when nobody needs it, brought back when
 *  it is lost. There is never more than one connection to it. */
export class Upstream {
  readonly definition: ServerDefinition;
  readonly #parts: UpstreamParts;
  readonly #redact: Redact;
  readonly #questions = new Questions();
  readonly #ending = new AbortController();
  #status: ConnectionStatus = 'disconnected';
  #offers: Offers = NO_OFFERS;
  #offered = false;
  #capabilities: JsonObject = {};
  #instructions: string | undefined;
  #era: Era | undefined;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #closing: Promise<unknown> = Promise.resolve();
  #error: string | undefined;
  #failures = 0;
  #readyAt = 0;
  #retryAt = 0;
  #retry: NodeJS.Timeout | undefined;
  #idle: NodeJS.Timeout | undefined;
  #check: NodeJS.Timeout | undefined;
  #refreshing: NodeJS.Timeout | undefined;
  readonly #samples = new CallSamples();
  #busy = 0;
  #lastHealthCheck: string | undefined;

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
    this.definition = parts.definition;
    this.#redact = makeRedact(parts.definition);
    const known = parts.cache.read(parts.key);
    if (known === undefined) return;
    this.#offers = known.offers;
    this.#offered = true;
    this.#era = known.era;
    this.#capabilities = known.capabilities;
    this.#instructions = known.instructions;
  }

  get snapshot(): McpConnection {
    return {
      serverName: this.definition.name,
      status: this.#status,
      ...this.#offers,
      offered: this.#offered,
      capabilities: this.#capabilities,
      calls: this.#samples.statistics,
      ...(this.#instructions === undefined ? {} : { instructions: this.#instructions }),
      ...(this.#era === undefined ? {} : { era: this.#era }),
      ...(this.#error === undefined ? {} : { error: this.#error }),
      ...(this.#lastHealthCheck === undefined ? {} : { lastHealthCheck: this.#lastHealthCheck }),
      ...(this.#connection?.pid === undefined ? {} : { pid: this.#connection.pid }),
    };
  }

  /** Connects in the background. */
  start(): void {
    void this.#open().catch(() => {});
  }

  /** Connects, and answers when its tools are known. */
  async wake(): Promise<void> {
    await this.#wake();
  }

  /** Passes a request on, and wakes the server first when it sleeps. */
  async request(request: UpstreamRequest): Promise<JsonObject> {
    this.#busy += 1;
    clearTimeout(this.#idle);
    const began = performance.now();
    try {
      return await this.#ask(request);
    } catch (thrown) {
      if (!(thrown instanceof WireLost) || request.repeatable !== true) throw this.#explain(thrown, request);
      await delay(this.#parts.limits.repeat_ms, undefined, { signal: request.signal });
      return await this.#ask(request).catch((again: unknown) => {
        throw this.#explain(again, request);
      });
    } finally {
      this.#busy -= 1;
      if (request.method === 'tools/call') this.#samples.add(performance.now() - began);
      this.#sleepLater();
    }
  }

  /** True when the server answers now. One that sleeps is not woken. */
  async isWell(): Promise<boolean> {
    const connection = this.#connection;
    if (connection === undefined) return this.#status === 'disconnected';
    try {
      await this.#ping(connection, this.#parts.limits.health_ms);
      return true;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    for (const timer of [this.#retry, this.#idle, this.#check, this.#refreshing]) clearTimeout(timer);
    await this.#opening?.catch(() => {});
    this.#drop(undefined);
    await this.#closing;
  }

  async #ask(request: UpstreamRequest): Promise<JsonObject> {
    const { method, params, signal, onProgress } = request;
    const connection = this.#connection ?? (await untilAborted(this.#wake(), signal));
    const { call_ms, most_ms } = this.#parts.limits;
    const leave = this.#questions.enter(request);
    try {
      return await connection.peer.ask(method, connection.prepare(params), {
        ...(signal === undefined ? {} : { signal }),
        timeout_ms: call_ms,
        most_ms,
        onProgress: onProgress ?? (() => {}),
      });
    } catch (thrown) {
      if (thrown instanceof WireLost && isGone(thrown)) this.#lost(connection, thrown.message);
      throw thrown;
    } finally {
      leave();
    }
  }

  /** A server that failed again and again is not waited for by everyone who asks. */
  #wake(): Promise<Connection> {
    const wait_ms = this.#retryAt - performance.now();
    if (this.#failures < this.#parts.limits.patience || wait_ms <= 0 || this.#opening !== undefined) {
      return this.#open();
    }
    const { name } = this.definition;
    return Promise.reject(
      agentError(
        'AGENT_UNAVAILABLE',
        `The MCP server "${name}" cannot be reached: ${this.#error ?? 'unknown reason'}. It is tried again in ${Math.ceil(wait_ms / 1000)} s.`,
        { server: name },
      ),
    );
  }

  #open(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #connect(): Promise<Connection> {
    clearTimeout(this.#retry);
    await this.#closing;
    this.#ending.signal.throwIfAborted();
    this.#become('connecting');
    let connection: Connection | undefined;
    try {
      connection = await this.#reach();
      this.#become('connected');
      await this.#learn(connection);
    } catch (thrown) {
      await connection?.peer.close();
      throw this.#failed(thrown, connection !== undefined);
    }
    this.#connection = connection;
    this.#error = undefined;
    this.#readyAt = performance.now();
    this.#offered = true;
    this.#listen(connection);
    this.#become('ready');
    this.#checkLater();
    this.#sleepLater();
    return connection;
  }

  async #reach(): Promise<Connection> {
    const { marker } = this.#parts;
    const own: { connection?: Connection } = {};
    own.connection = await connect(this.definition, {
      marker,
      redact: this.#redact,
      era: this.#era,
      signal: this.#ending.signal,
      onRequest: (told, signal) => this.#questions.ask(told, signal),
      onNotification: (told) => this.#hear(told),
      onClose: (reason) => {
        if (own.connection !== undefined) this.#lost(own.connection, reason ?? 'it was closed');
      },
    });
    return own.connection;
  }

  async #learn(connection: Connection): Promise<void> {
    const { greeting, peer, prepare } = connection;
    const { capabilities, era, instructions } = greeting;
    const offers = await listOffers(peer, { capabilities, timeout_ms: this.definition.timeout_ms, prepare });
    this.#offers = offers;
    this.#era = era;
    this.#capabilities = capabilities;
    this.#instructions = instructions;
    this.#parts.cache.write(this.#parts.key, { era, capabilities, instructions, offers });
  }

  /** Servers of the new era say what changes only to those who listen. */
  #listen({ peer, prepare, greeting }: Connection): void {
    if (greeting.era !== 'modern') return;
    const notifications = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true };
    peer.ask('subscriptions/listen', prepare({ notifications })).catch(() => {});
  }

  #hear(told: Told): void {
    if (!/^notifications\/(tools|resources|prompts)\/list_changed$/.test(told.method)) {
      this.#parts.onNotification(told);
      return;
    }
    // However often it says so, its lists are read a few times a second at most.
    this.#refreshing ??= setTimeout(() => {
      this.#refreshing = undefined;
      void this.#refresh();
    }, this.#parts.limits.refresh_ms);
  }

  async #refresh(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    try {
      await this.#learn(connection);
      this.#parts.onChange();
    } catch (thrown) {
      this.#error = this.#redact(`its lists could not be read again: ${textOf(thrown)}`);
    }
  }

  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    if (performance.now() - this.#readyAt > this.#parts.limits.stable_ms) this.#failures = 0;
    this.#error = this.#redact(reason);
    this.#offered = false;
    this.#drop('error');
    this.#retryLater();
  }

  #failed(thrown: unknown, greeted: boolean): FleetError {
    const { name, timeout_ms } = this.definition;
    const known = thrown instanceof FleetError ? thrown : undefined;
    const why = thrown instanceof WireTimeout ? `it did not answer within ${timeout_ms} ms` : textOf(thrown);
    this.#error = this.#redact(known?.message ?? why);
    this.#offered = false;
    // Some servers of the old era end when they are asked what they do not know.
    this.#era = !greeted && thrown instanceof WireLost && this.#era === undefined ? 'legacy' : undefined;
    this.#become('error');
    this.#become('disconnected');
    this.#retryLater();
    if (known !== undefined) return known;
    return agentError(
      greeted ? 'MCP_TOOL_DISCOVERY_FAILED' : 'MCP_CONNECTION_FAILED',
      greeted
        ? `The MCP server "${name}" does not list its tools: ${this.#error}.`
        : `The MCP server "${name}" cannot be reached: ${this.#error}. Look at it with fleet tools.`,
      { server: name, cause: thrown },
    );
  }

  #drop(status: 'error' | undefined): void {
    clearTimeout(this.#check);
    clearTimeout(this.#idle);
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) {
      const before = this.#closing;
      this.#closing = Promise.allSettled([before, connection.peer.close()]);
    }
    if (status !== undefined) this.#become(status);
    this.#become('disconnected');
  }

  #retryLater(): void {
    if (this.#ending.signal.aborted) return;
    const { backoff_ms, most_backoff_ms } = this.#parts.limits;
    const wait_ms = Math.min(most_backoff_ms, backoff_ms * 2 ** this.#failures) * (0.75 + Math.random() / 4);
    this.#failures += 1;
    this.#retryAt = performance.now() + wait_ms;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => this.start(), wait_ms);
  }

  /** Nobody who has called is cut off: a call that comes meanwhile starts the server again. */
  #sleepLater(): void {
    clearTimeout(this.#idle);
    const { idle_ms } = this.definition;
    if (idle_ms === null || this.definition.command === undefined || this.#connection === undefined) return;
    this.#idle = setTimeout(() => {
      if (this.#busy === 0) this.#drop(undefined);
    }, idle_ms);
  }

  #checkLater(): void {
    clearTimeout(this.#check);
    this.#check = setTimeout(() => void this.#checkNow(), this.#parts.limits.check_ms);
  }

  /** A server at work answers when it is done; one that is idle answers at once, or is lost. */
  async #checkNow(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    try {
      if (this.#busy === 0) await this.#ping(connection, this.#parts.limits.lost_ms);
    } catch (thrown) {
      if (this.#busy === 0) this.#lost(connection, `it does not answer: ${textOf(thrown)}`);
    }
    if (this.#connection === connection) this.#checkLater();
  }

  async #ping({ peer, greeting, prepare }: Connection, timeout_ms: number): Promise<void> {
    const method = greeting.era === 'modern' ? 'server/discover' : 'ping';
    try {
      await peer.ask(method, prepare({}), { timeout_ms });
    } catch (thrown) {
      // An error is an answer too.
      if (thrown instanceof WireLost || thrown instanceof WireTimeout) throw thrown;
    }
    this.#lastHealthCheck = new Date().toISOString();
  }

  #become(status: ConnectionStatus): void {
    if (this.#status === status) return;
    this.#status = status;
    this.#parts.onChange();
  }

  #explain(thrown: unknown, { method }: UpstreamRequest): unknown {
    const { name } = this.definition;
    if (thrown instanceof WireTimeout) {
      return agentError(
        'TOOL_EXECUTION_TIMEOUT',
        `The MCP server "${name}" did not finish ${method}: ${thrown.message}. It was told to stop.`,
        { server: name, cause: thrown },
      );
    }
    if (thrown instanceof WireLost) {
      return agentError(
        'AGENT_UNAVAILABLE',
        `The MCP server "${name}" was lost during ${method}: ${this.#redact(thrown.message)}. It is started again; whether the call had an effect is not known.`,
        { server: name, cause: thrown },
      );
    }
    return thrown;
  }
}

/** Some answers of an HTTP server are about the one request; after the others there is no connection any more. */
function isGone(lost: WireLost): boolean {
  const status = httpStatusOf(lost);
  return status === undefined || status === 404 || status >= 500;
}

async function untilAborted<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  if (signal === undefined) return work;
  const { promise, reject } = Promise.withResolvers<never>();
  const stop = (): void => reject(signal.reason as Error);
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  return Promise.race([work, promise]).finally(() => signal.removeEventListener('abort', stop));
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
