/** A launcher passes on a Ctrl-C that the terminal has sent here already: those two are one. */
const SAME_MS = 150;

/** Ctrl-C while an answer is made: the first one stops the answer. */
export class Interrupts implements Disposable {
  #onInterrupt: (() => void) | undefined;
  #last = Number.NEGATIVE_INFINITY;
  readonly #listener = (): void => this.#hear();

  constructor() {
    process.on('SIGINT', this.#listener);
  }

  /** Runs some work that Ctrl-C stops. */
  async during<Value>(work: (signal: AbortSignal) => Promise<Value>): Promise<Value> {
    const stop = new AbortController();
    this.#onInterrupt = () => stop.abort();
    try {
      return await work(stop.signal);
    } finally {
      this.#onInterrupt = undefined;
    }
  }

  /** Stops the work that runs, as Ctrl-C does. */
  interrupt(): void {
    this.#onInterrupt?.();
  }

  [Symbol.dispose](): void {
    process.off('SIGINT', this.#listener);
  }

  #hear(): void {
    const now = performance.now();
    const isSame = now - this.#last < SAME_MS;
    this.#last = now;
    if (!isSame) this.interrupt();
  }
}
