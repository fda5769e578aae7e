import type { Store } from './store.ts';

const OFTEN_ENOUGH_MS = 10_000;

/** When somebody last looked at the fleet: runners do for lookers what they would not do for nobody. */
export class Looks {
  readonly #store: Store;
  #noted = 0;

  constructor(store: Store) {
    this.#store = store;
  }

  note(now: number): void {
    if (now - this.#noted < OFTEN_ENOUGH_MS) return;
    this.#noted = now;
    if (now - this.last() < OFTEN_ENOUGH_MS) return;
    this.#store.run('INSERT INTO looks VALUES (1, ?) ON CONFLICT DO UPDATE SET at = excluded.at', now);
  }

  last(): number {
    return Number(this.#store.get('SELECT at FROM looks')?.['at'] ?? 0);
  }
}
