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
  #began: number;

  /** `onEnd` answers false when the time that went by does not count. */
  constructor(
    { timeout_ms = Infinity, most_ms = Infinity }: PatienceLimits,
    onEnd: (why: string) => boolean,
  ) {
    this.#timeout_ms = timeout_ms;
    this.#most_ms = most_ms;
    this.#onEnd = onEnd;
    this.#began = performance.now();
    this.#wait(Math.min(timeout_ms, most_ms));
  }

  heard(): void {
    const left_ms = this.#began + this.#most_ms - performance.now();
    if (left_ms >= this.#timeout_ms) this.#timer?.refresh();
    else this.#wait(left_ms);
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #wait(ms: number): void {
    clearTimeout(this.#timer);
    if (ms !== Infinity) this.#timer = setTimeout(() => this.#end(), ms);
  }

  #end(): void {
    const isMost = performance.now() - this.#began >= this.#most_ms;
    const why = isMost
      ? `it took longer than ${this.#most_ms} ms`
      : `nothing was heard for ${this.#timeout_ms} ms`;
    if (this.#onEnd(why)) return;
    this.#began = performance.now();
    this.#wait(Math.min(this.#timeout_ms, this.#most_ms));
  }
}
