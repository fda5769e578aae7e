/** Lets at most so many through at a time, in the order in which they came. */
export class Semaphore {
  readonly #room: number;
  readonly #waiting: (() => void)[] = [];
  #inside = 0;

  constructor(room: number) {
    this.#room = room;
  }

  async pass<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#inside >= this.#room) await new Promise<void>((enter) => this.#waiting.push(enter));
    else this.#inside++;
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#inside--;
      else next();
    }
  }
}
