import type { UpstreamLimits } from '../servers/mcp-connection.ts';

type BackoffLimits = Pick<UpstreamLimits, 'backoff_ms' | 'max_backoff_ms' | 'failures_before_backoff'>;

/** When a server that was lost is tried again: sooner the first time, later each time after. */
export class Backoff {
  readonly #limits: BackoffLimits;
  readonly #again: () => void;
  #failures = 0;
  #at = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(limits: BackoffLimits, again: () => void) {
    this.#limits = limits;
    this.#again = again;
  }

  /** Milliseconds until the next try, of a server that failed so often that nobody waits for it. */
  get hopeless_ms(): number | undefined {
    const wait_ms = this.#at - performance.now();
    return this.#failures < this.#limits.failures_before_backoff || wait_ms <= 0 ? undefined : wait_ms;
  }

  /** What went before does not count any more. */
  forget(): void {
    this.#failures = 0;
  }

  later(): void {
    const { backoff_ms, max_backoff_ms } = this.#limits;
    const wait_ms = Math.min(max_backoff_ms, backoff_ms * 2 ** this.#failures) * (0.75 + Math.random() / 4);
    this.#failures += 1;
    this.#at = performance.now() + wait_ms;
    this.stop();
    this.#timer = setTimeout(this.#again, wait_ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }
}
