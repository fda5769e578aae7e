export interface DeadlineLimits {
  /** Ends the wait when nothing is received for this long. */
  readonly timeout_ms?: number;
  /** Ends the wait, however much is received. */
  readonly max_ms?: number;
}

/** Limits how long a call waits for its answer. One timer for both limits, because each running call has one. */
export class CallDeadline {
  readonly #timeout_ms: number;
  readonly #max_ms: number;
  readonly #onEnd: (why: string) => boolean;
  #timer: NodeJS.Timeout | undefined;
  #began = 0;

  /** `onEnd` returns false when the elapsed time does not count: the wait starts again. */
  constructor({ timeout_ms = Infinity, max_ms = Infinity }: DeadlineLimits, onEnd: (why: string) => boolean) {
    this.#timeout_ms = timeout_ms;
    this.#max_ms = max_ms;
    this.#onEnd = onEnd;
    this.#begin();
  }

  extend(): void {
    const left_ms = this.#began + this.#max_ms - performance.now();
    if (left_ms >= this.#timeout_ms) this.#timer?.refresh();
    else this.#wait(left_ms, `it took longer than ${this.#max_ms} ms`);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.#began = performance.now();
    if (this.#timeout_ms < this.#max_ms)
      this.#wait(this.#timeout_ms, `no response for ${this.#timeout_ms} ms`);
    else this.#wait(this.#max_ms, `it took longer than ${this.#max_ms} ms`);
  }

  #wait(ms: number, why: string): void {
    clearTimeout(this.#timer);
    if (ms === Infinity) return;
    this.#timer = setTimeout(() => {
      if (!this.#onEnd(why)) this.#begin();
    }, ms);
  }
}
