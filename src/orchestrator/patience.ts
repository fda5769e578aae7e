export interface PatienceLimits {
  /** Ends the wait when nothing is heard for this long. */
  readonly timeout_ms?: number;
  /** Ends the wait however much is heard. */
  readonly most_ms?: number;
}

/** How long an answer is waited for. One timer for both limits: there is one for each call that runs. */
export class Patience {
  readonly #timeout_ms: number;
  readonly #most_ms: number;
  readonly #onEnd: (why: string) => boolean;
  #timer: NodeJS.Timeout | undefined;
  #began = 0;

  /** `onEnd` answers false when the time that went by does not count. */
  constructor(
    { timeout_ms = Infinity, most_ms = Infinity }: PatienceLimits,
    onEnd: (why: string) => boolean,
  ) {
    this.#timeout_ms = timeout_ms;
    this.#most_ms = most_ms;
    this.#onEnd = onEnd;
    this.#begin();
  }

  heard(): void {
    const left_ms = this.#began + this.#most_ms - performance.now();
    if (left_ms >= this.#timeout_ms) this.#timer?.refresh();
    else this.#wait(left_ms, `it took longer than ${this.#most_ms} ms`);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #begin(): void {
    this.#began = performance.now();
    if (this.#timeout_ms < this.#most_ms)
      this.#wait(this.#timeout_ms, `nothing was heard for ${this.#timeout_ms} ms`);
    else this.#wait(this.#most_ms, `it took longer than ${this.#most_ms} ms`);
  }

  #wait(ms: number, why: string): void {
    clearTimeout(this.#timer);
    if (ms === Infinity) return;
    this.#timer = setTimeout(() => {
      if (!this.#onEnd(why)) this.#begin();
    }, ms);
  }
}
