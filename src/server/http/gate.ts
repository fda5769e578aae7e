import { FleetError } from '../../domain/values/errors.ts';

/** Lets in so many at once, and refuses the rest before they cost anything. */
export class Gate {
  readonly #most: number;
  #inside = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#inside >= this.#most;
  }

  /** Returns the function that leaves; calling it again does nothing. */
  enter(): () => void {
    if (this.isFull) {
      throw new FleetError(
        'RATE_LIMITED',
        `This server is handling ${this.#most} requests, which is its limit. Retry in a moment.`,
        { limit: this.#most },
      );
    }
    this.#inside += 1;
    let inside = true;
    return () => {
      if (inside) this.#inside -= 1;
      inside = false;
    };
  }
}
