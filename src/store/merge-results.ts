import type { Store } from './store.ts';

const MOST_ROWS = 50_000;

/** The paths in which pairs of commits conflict. Commits do not change, so neither does a result. */
export class MergeResults {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Undefined for a pair that was not merged yet; empty for one that merges cleanly. */
  get(one: string, other: string): readonly string[] | undefined {
    const row = this.#store.get('SELECT paths FROM merge_results WHERE one = ? AND other = ?', one, other);
    return row === undefined ? undefined : (JSON.parse(String(row['paths'])) as string[]);
  }

  add(results: readonly (readonly [one: string, other: string, paths: readonly string[]])[]): void {
    if (results.length === 0) return;
    this.#store.transaction(() => {
      for (const [one, other, paths] of results)
        this.#store.run(
          'INSERT OR REPLACE INTO merge_results VALUES (?, ?, ?)',
          one,
          other,
          JSON.stringify(paths),
        );
      this.#store.run(
        'DELETE FROM merge_results WHERE rowid <= (SELECT max(rowid) FROM merge_results) - ?',
        MOST_ROWS,
      );
    });
  }
}
