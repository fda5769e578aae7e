import { untilAborted } from '../../platform/until-aborted.ts';
import { Backoff } from './backoff.ts';
import { connect, type Connection } from './connection.ts';
import { HealthWatch } from './health-watch.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { McpConnection, UpstreamLimits } from '../servers/mcp-connection.ts';
import type { OAuthVault } from '../oauth/oauth-vault.ts';
import type { OfferCache } from '../servers/offer-cache.ts';
import { WireLost } from '../../wire/rpc-error.ts';
import type { ReceivedMessage } from '../../wire/rpc-peer.ts';
import type { Redact } from '../../domain/values/redact.ts';
import { redactServer } from '../servers/redact-server.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
import { UpstreamCalls } from './upstream-calls.ts';
import { UpstreamErrors } from './upstream-errors.ts';
import { UpstreamMemory } from './upstream-memory.ts';
import { UpstreamNews } from './upstream-news.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';
import { UpstreamState } from './upstream-state.ts';

export interface UpstreamParts {
  readonly definition: ServerDefinition;
  readonly key: string;
  /** All that the server's program starts is found by this. */
  readonly marker: string;
  readonly cache: OfferCache;
  readonly vault: OAuthVault;
  readonly limits: UpstreamLimits;
  /** What it offers, or how it is, has changed. */
  onChange(): void;
  /** What it said to everybody. */
  onNotification(received: ReceivedMessage): void;
}

/** One upstream server for its whole life: started when it is needed, stopped when nobody needs it, brought back when
 *  it is lost. There is never more than one connection to it. */
export class Upstream {
  readonly definition: ServerDefinition;
  readonly #parts: UpstreamParts;
  readonly #redact: Redact;
  readonly #errors: UpstreamErrors;
  readonly #backoff: Backoff;
  readonly #health: HealthWatch;
  readonly #news: UpstreamNews;
  readonly #calls: UpstreamCalls;
  readonly #ending = new AbortController();
  readonly #memory: UpstreamMemory;
  readonly #state: UpstreamState;
  #connection: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  #closing: Promise<unknown> = Promise.resolve();
  #readyAt = 0;
  #idle: NodeJS.Timeout | undefined;

  constructor(parts: UpstreamParts) {
    this.#parts = parts;
    this.definition = parts.definition;
    this.#redact = redactServer(parts.definition);
    this.#errors = new UpstreamErrors(parts.definition, this.#redact);
    this.#backoff = new Backoff(parts.limits, () => this.start());
    this.#calls = new UpstreamCalls({
      limits: parts.limits,
      errors: this.#errors,
      connected: (signal) => this.#connection ?? untilAborted(this.#wake(), signal),
      onLost: (connection, reason) => this.#lost(connection, reason),
      onBusy: () => this.#sleepLater(),
    });
    this.#news = new UpstreamNews({
      refresh_ms: parts.limits.refresh_ms,
      refresh: () => this.#refresh(),
      tell: (received) => this.#receive(received),
    });
    this.#health = new HealthWatch({
      limits: parts.limits,
      isBusy: () => this.#calls.isBusy,
      onLost: (connection, reason) => this.#lost(connection, reason),
    });
    this.#memory = new UpstreamMemory(parts.cache, parts.key);
    this.#state = new UpstreamState(this.#memory.remembered, () => parts.onChange());
  }

  get snapshot(): McpConnection {
    return {
      serverName: this.definition.name,
      ...this.#state.shown,
      ...this.#memory.shown,
      calls: this.#calls.statistics,
      ...(this.#health.passed === undefined ? {} : { lastHealthCheck: this.#health.passed }),
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

  async retry(): Promise<void> {
    this.#backoff.forget();
    await this.#wake();
  }

  /** Passes a request on, and wakes the server first when it sleeps. */
  request(request: UpstreamRequest): Promise<JsonObject> {
    return this.#news.takes(request) ? Promise.resolve({}) : this.#calls.make(request);
  }

  /** True when the server answers now. One that sleeps is not woken. */
  async isWell(): Promise<boolean> {
    const connection = this.#connection;
    if (connection === undefined) return this.#state.isAsleep;
    try {
      await this.#health.ping(connection, this.#parts.limits.health_ms);
      return true;
    } catch {
      return false;
    }
  }

  async stop(): Promise<void> {
    this.#ending.abort();
    this.#backoff.stop();
    clearTimeout(this.#idle);
    await this.#opening?.catch(() => {});
    this.#sleep();
    await this.#closing;
  }

  /** A server that failed again and again is not waited for by everyone who asks. */
  #wake(): Promise<Connection> {
    const { hopeless_ms } = this.#backoff;
    if (hopeless_ms === undefined || this.#opening !== undefined) return this.#open();
    return Promise.reject(this.#errors.hopeless(this.#state.error, hopeless_ms));
  }

  #open(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#opening ??= this.#connect().finally(() => (this.#opening = undefined));
    return this.#opening;
  }

  async #connect(): Promise<Connection> {
    this.#backoff.stop();
    await this.#closing;
    this.#ending.signal.throwIfAborted();
    this.#state.become('connecting');
    let connection: Connection | undefined;
    try {
      connection = await this.#reach();
      this.#state.become('connected');
      await this.#memory.learn(connection, this.definition.timeout_ms);
    } catch (thrown) {
      await connection?.peer.close();
      throw this.#failed(thrown, connection !== undefined);
    }
    this.#connection = connection;
    this.#readyAt = performance.now();
    this.#news.begin(connection);
    this.#state.ready();
    this.#health.begin(connection);
    this.#sleepLater();
    return connection;
  }

  async #reach(): Promise<Connection> {
    const own: { connection?: Connection } = {};
    own.connection = await connect(this.definition, {
      marker: this.#parts.marker,
      vault: this.#parts.vault,
      redact: this.#redact,
      era: this.#memory.era,
      probe_ms: this.#parts.limits.probe_ms,
      signal: this.#ending.signal,
      onRequest: (received, signal) => this.#calls.questions.ask(received, signal),
      onNotification: (received) => this.#news.receive(received),
      onClose: (reason) => {
        if (own.connection !== undefined) this.#lost(own.connection, reason ?? 'it was closed');
      },
    });
    return own.connection;
  }

  /** What it logs while it works for one caller alone is that one's. */
  #receive(received: ReceivedMessage): void {
    const listener = received.method === 'notifications/message' ? this.#calls.questions.alone : undefined;
    if (listener === undefined) this.#parts.onNotification(received);
    else listener.onLog?.(received.params);
  }

  async #refresh(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    try {
      await this.#memory.learn(connection, this.definition.timeout_ms);
      this.#state.listed();
    } catch (thrown) {
      this.#state.listed(`its lists could not be read again: ${this.#errors.reason(thrown)}`);
    }
  }

  #lost(connection: Connection, reason: string): void {
    if (this.#connection !== connection) return;
    if (performance.now() - this.#readyAt > this.#parts.limits.stable_ms) this.#backoff.forget();
    this.#drop();
    this.#state.lost(this.#redact(reason));
    this.#retryLater();
  }

  #failed(thrown: unknown, greeted: boolean): Error {
    const failure = this.#errors.notConnected(thrown, greeted);
    // Some servers of the old era end when they are asked what they do not know.
    const silent = !greeted && thrown instanceof WireLost && this.#memory.era === undefined;
    this.#memory.assumeEra(silent ? 'legacy' : undefined);
    this.#state.failed(failure === thrown ? failure.message : this.#errors.reason(thrown));
    this.#retryLater();
    return failure;
  }

  #sleep(): void {
    this.#drop();
    this.#state.become('disconnected');
  }

  #drop(): void {
    this.#health.end();
    this.#news.end();
    clearTimeout(this.#idle);
    const connection = this.#connection;
    this.#connection = undefined;
    if (connection !== undefined) {
      const before = this.#closing;
      this.#closing = Promise.allSettled([before, connection.peer.close()]);
    }
  }

  #retryLater(): void {
    if (!this.#ending.signal.aborted) this.#backoff.later();
  }

  /** Nobody who has called is cut off: a call that comes meanwhile starts the server again. */
  #sleepLater(): void {
    clearTimeout(this.#idle);
    const { idle_ms } = this.definition;
    if (idle_ms === null || this.definition.command === undefined || this.#connection === undefined) return;
    if (!this.#calls.isBusy) this.#idle = setTimeout(() => this.#sleep(), idle_ms);
  }
}
