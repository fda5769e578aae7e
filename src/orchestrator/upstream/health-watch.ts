import type { Connection } from './connection.ts';
import type { UpstreamLimits } from '../servers/mcp-connection.ts';
import { WireLost, WireTimeout } from '../../wire/rpc-error.ts';

export interface HealthWatchParts {
  readonly limits: Pick<UpstreamLimits, 'check_ms' | 'lost_ms'>;
  /** True while the server works for somebody: then it answers when it is done. */
  isBusy(): boolean;
  onLost(connection: Connection, reason: string): void;
}

/** Looks again and again whether an idle server still answers. */
export class HealthWatch {
  readonly #parts: HealthWatchParts;
  #connection: Connection | undefined;
  #timer: NodeJS.Timeout | undefined;
  #passed: string | undefined;

  constructor(parts: HealthWatchParts) {
    this.#parts = parts;
  }

  /** When a server last passed a check. */
  get passed(): string | undefined {
    return this.#passed;
  }

  begin(connection: Connection): void {
    this.#connection = connection;
    this.#later();
  }

  end(): void {
    this.#connection = undefined;
    clearTimeout(this.#timer);
  }

  async ping({ peer, greeting, prepare }: Connection, timeout_ms: number): Promise<void> {
    const method = greeting.era === 'modern' ? 'server/discover' : 'ping';
    try {
      await peer.ask(method, prepare({}), { timeout_ms });
    } catch (thrown) {
      // An error is an answer too.
      if (thrown instanceof WireLost || thrown instanceof WireTimeout) throw thrown;
    }
    this.#passed = new Date().toISOString();
  }

  #later(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#check(), this.#parts.limits.check_ms);
  }

  async #check(): Promise<void> {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { isBusy, limits, onLost } = this.#parts;
    try {
      if (!isBusy()) await this.ping(connection, limits.lost_ms);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : String(thrown);
      if (!isBusy()) onLost(connection, `it does not answer: ${why}`);
    }
    if (this.#connection === connection) this.#later();
  }
}
