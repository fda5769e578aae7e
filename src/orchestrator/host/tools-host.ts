import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { takeLease, type Lease } from '../../platform/database/lease.ts';
import { hostPaths } from './host-paths.ts';
import { HostSession } from './host-session.ts';
import type { UpstreamLimits } from '../servers/mcp-connection.ts';
import { UpstreamPool } from '../upstream/upstream-pool.ts';

/** Calls that run when another process takes over get this long to end. */
const DRAIN_MS = 30_000;
/** A call that was sent before the other process knew is refused, and not lost: for so long the connection is read. */
const UNREAD_MS = 1_000;

export interface HostOptions {
  readonly limits?: Partial<UpstreamLimits>;
  readonly linger_ms?: number;
  /** True for a process that hosts only because nobody else did. */
  readonly yields?: boolean;
}

interface HostParts {
  readonly lease: Lease;
  readonly pool: UpstreamPool;
  readonly socket: string;
  readonly yields: boolean;
}

/** The one process of a FLEET_HOME that is connected to its upstream servers; others use them through its socket. */
export class ToolsHost implements AsyncDisposable {
  readonly pool: UpstreamPool;
  readonly #lease: Lease;
  readonly #server: Server;
  readonly #socket: string;
  readonly #yields: boolean;
  readonly #sessions = new Set<HostSession>();
  readonly #retired = Promise.withResolvers<void>();
  #ending: Promise<void> | undefined;

  /** Undefined when another process hosts. */
  static async open(
    home: string,
    { yields = false, ...options }: HostOptions = {},
  ): Promise<ToolsHost | undefined> {
    const paths = hostPaths(home);
    const lease = takeLease(paths.lease);
    if (lease === undefined) return undefined;
    const pool = new UpstreamPool({ home, ...options });
    await pool.sweep();
    // A socket that is still there is of a host that died.
    rmSync(paths.socket, { force: true });
    const host = new ToolsHost({ lease, pool, socket: paths.socket, yields });
    host.#server.listen(paths.socket);
    await once(host.#server, 'listening');
    return host;
  }

  private constructor({ lease, pool, socket, yields }: HostParts) {
    this.#lease = lease;
    this.pool = pool;
    this.#socket = socket;
    this.#yields = yields;
    this.#server = createServer((connection) => this.#welcome(connection));
  }

  /** Resolves when another process wants to host. */
  get retired(): Promise<void> {
    return this.#retired.promise;
  }

  /** How many use it through its socket. */
  get users(): number {
    return this.#sessions.size;
  }

  onUsers: () => void = () => {};

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending ??= this.#end();
    await this.#ending;
  }

  get #calls(): number {
    return [...this.#sessions].reduce((sum, { calls }) => sum + calls, 0);
  }

  async #end(): Promise<void> {
    this.#server.close();
    rmSync(this.#socket, { force: true });
    const until = performance.now() + DRAIN_MS;
    for (const session of this.#sessions) session.moveAway();
    const unreadUntil = performance.now() + UNREAD_MS;
    while (this.#calls > 0 && performance.now() < until) await delay(20);
    while (this.#sessions.size > 0 && performance.now() < unreadUntil) await delay(20);
    await Promise.all([...this.#sessions].map((session) => session.close()));
    await this.pool[Symbol.asyncDispose]();
    this.#lease.release();
  }

  /** From here on every call is answered by the next host. */
  #retire(): void {
    for (const session of this.#sessions) session.moveAway();
    this.#retired.resolve();
  }

  #welcome(connection: Socket): void {
    const session = new HostSession(connection, {
      servers: this.pool.attach(),
      onRetire: () => {
        if (this.#yields) this.#retire();
        return this.#yields;
      },
      onClose: () => {
        this.#sessions.delete(session);
        this.onUsers();
      },
    });
    this.#sessions.add(session);
    this.onUsers();
  }
}
