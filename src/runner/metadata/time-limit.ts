import { Interruption } from '../programs/interruption.ts';

const KILL_STEP_MS = 100;

/** Ends a program that reads or runs a Taskfile when its time is up, or when nobody waits for it any more. */
export class TimeLimit implements Disposable {
  readonly #limit = new AbortController();
  readonly #outer: AbortSignal;
  readonly #timer: NodeJS.Timeout;

  constructor(limit_ms: number, outer: AbortSignal) {
    this.#outer = outer;
    this.#timer = setTimeout(this.end, limit_ms);
    if (outer.aborted) this.end();
    else outer.addEventListener('abort', this.end, { once: true });
  }

  get signal(): AbortSignal {
    return this.#limit.signal;
  }

  readonly end = (): void => this.#limit.abort(new Interruption(KILL_STEP_MS));

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#outer.removeEventListener('abort', this.end);
  }
}
