import { excessOf, type BudgetLimits, type BudgetUse } from '../../domain/budget.ts';

const LOOK_MS = 500;

/** Watches what one task uses: time, tokens, money. Its signal aborts when that is more than the task may. */
export class Budget implements Disposable {
  readonly #over = new AbortController();
  readonly #limits: BudgetLimits;
  readonly #used: () => BudgetUse;
  readonly #timers: NodeJS.Timeout[] = [];
  #exceeded: string | undefined;

  /** `used`: what the task has used so far. */
  constructor(limits: BudgetLimits, used: () => BudgetUse) {
    this.#limits = limits;
    this.#used = used;
    const { time_ms, tokens, cost } = limits;
    if (time_ms !== undefined)
      this.#timers.push(setTimeout(() => this.#exceed(`ran for ${time_ms / 1000} s`), time_ms));
    if (tokens !== undefined || cost !== undefined)
      this.#timers.push(setInterval(() => this.check(), LOOK_MS));
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** Why the task is over its budget; undefined while it is not. Some agents report only at the end of a turn. */
  check(): string | undefined {
    const excess = excessOf(this.#limits, this.#used());
    if (excess !== undefined) this.#exceed(excess);
    return this.#exceeded;
  }

  [Symbol.dispose](): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #exceed(what: string): void {
    this.#exceeded ??= `budget: the task ${what}`;
    this.#over.abort();
  }
}
