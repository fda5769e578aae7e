/** After this many requests in a row that failed for good nobody waits for a server that is down. */
const FAILURES = 3;
const OPEN_MS = 5_000;

/** Tells whether a server is worth asking: after some failures in a row it is not, for a while, then one request tries. */
export class CircuitBreaker {
  readonly #now: () => number;
  #failures = 0;
  #openUntil = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** False while the server is taken to be down. The first who is let through afterwards is the one who tries. */
  admits(): boolean {
    if (this.#failures < FAILURES) return true;
    if (this.#now() < this.#openUntil) return false;
    this.#openUntil = this.#now() + OPEN_MS;
    return true;
  }

  succeeded(): void {
    this.#failures = 0;
  }

  failed(): void {
    this.#failures++;
    if (this.#failures >= FAILURES) this.#openUntil = this.#now() + OPEN_MS;
  }
}
