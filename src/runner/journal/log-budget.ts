import type { LogSize } from './log-buffer.ts';

const PER_SECOND: LogSize = { entries: 5_000, bytes: 4 * 1024 * 1024 };

/** How much may be written to a log at once: all that it keeps in one go, then only so much a second. What a program
 *  prints without end would be thrown out again anyway. */
export class LogBudget {
  readonly #most: LogSize;
  #left: LogSize;
  #since: number;

  constructor(most: LogSize, now_ms: number) {
    this.#most = most;
    this.#left = most;
    this.#since = now_ms;
  }

  allows({ entries, bytes }: LogSize, now_ms: number): boolean {
    this.#refill(now_ms);
    return this.#left.entries >= entries && this.#left.bytes >= bytes;
  }

  spend({ entries, bytes }: LogSize, now_ms: number): void {
    this.#refill(now_ms);
    this.#left = {
      entries: Math.max(0, this.#left.entries - entries),
      bytes: Math.max(0, this.#left.bytes - bytes),
    };
  }

  #refill(now_ms: number): void {
    const seconds = Math.max(0, now_ms - this.#since) / 1000;
    this.#since = now_ms;
    this.#left = {
      entries: Math.min(this.#most.entries, this.#left.entries + seconds * PER_SECOND.entries),
      bytes: Math.min(this.#most.bytes, this.#left.bytes + seconds * PER_SECOND.bytes),
    };
  }
}
