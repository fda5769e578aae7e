import type { CallStatistics } from './mcp-connection.ts';

const MOST = 256;

/** How long the newest calls took. */
export class CallSamples {
  readonly #samples: number[] = [];
  #count = 0;
  #errors = 0;

  add(took_ms: number, isFailed: boolean): void {
    if (isFailed) this.#errors += 1;
    this.#samples[this.#count % MOST] = took_ms;
    this.#count += 1;
  }

  get statistics(): CallStatistics {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    return { count: this.#count, errors: this.#errors, p50_ms: at(sorted, 0.5), p95_ms: at(sorted, 0.95) };
  }
}

function at(sorted: readonly number[], share: number): number | null {
  const value = sorted[Math.floor((sorted.length - 1) * share)];
  return value === undefined ? null : Math.round(value * 100) / 100;
}
