export interface BudgetLimits {
  readonly tokens?: number;
  /** US dollars. */
  readonly cost?: number;
  readonly time_ms?: number;
}

/** What was used so far, over all tasks. */
export interface Spent {
  readonly tokens: number;
  readonly cost: number;
}

const LOOK_MS = 500;

/** What one task may use: time, tokens, money. Says so by its signal when it is used up. */
export class Budget {
  readonly #over = new AbortController();
  readonly #timers: NodeJS.Timeout[] = [];
  #exceeded: string | undefined;

  constructor(limits: BudgetLimits, spent: () => Spent) {
    const before = spent();
    if (limits.time_ms !== undefined) {
      const seconds = limits.time_ms / 1000;
      this.#timers.push(setTimeout(() => this.#exceed(`the time of ${seconds} s`), limits.time_ms));
    }
    if (limits.tokens === undefined && limits.cost === undefined) return;
    this.#timers.push(
      setInterval(() => {
        const now = spent();
        if (limits.tokens !== undefined && now.tokens - before.tokens > limits.tokens)
          this.#exceed(`${limits.tokens} tokens`);
        if (limits.cost !== undefined && now.cost - before.cost > limits.cost)
          this.#exceed(`${limits.cost} dollars`);
      }, LOOK_MS),
    );
  }

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  /** What was used up, in words. */
  get exceeded(): string | undefined {
    return this.#exceeded;
  }

  end(): void {
    for (const timer of this.#timers) clearTimeout(timer);
  }

  #exceed(what: string): void {
    this.#exceeded ??= `the task used up its budget: ${what}`;
    this.#over.abort();
  }
}
