import type { CheckResult } from '../domain/review/checks.ts';
import type { Store } from './store.ts';

/** What a result depends on: the checked files, the command with its time limit, and how the tree was prepared. */
export interface ResultKey {
  readonly project: string;
  readonly tree: string;
  readonly command: string;
  readonly setup: string;
}

/** As many results as a project with a few checks has in months. */
const MOST_RESULTS = 2_000;

/** Results of checks, for all processes of a fleet. */
export class CheckResultStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** The name is not part of the key: the same command under another name has the same result. */
  get({ project, tree, command, setup }: ResultKey): Omit<CheckResult, 'name'> | undefined {
    const row = this.#store.get(
      'SELECT * FROM check_results WHERE project = ? AND tree = ? AND command = ? AND setup = ?',
      project,
      tree,
      command,
      setup,
    );
    return row === undefined ? undefined : resultOf(row);
  }

  put({ project, tree, command, setup }: ResultKey, result: CheckResult): void {
    this.#store.transaction(() => {
      this.#store.run(
        `INSERT OR REPLACE INTO check_results
           (project, tree, command, setup, state, exit_code, took_ms, output, checked_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        project,
        tree,
        command,
        setup,
        result.state,
        result.exit_code,
        result.took_ms,
        result.output,
        result.checked_at,
      );
      this.#store.run(
        `DELETE FROM check_results WHERE rowid IN
           (SELECT rowid FROM check_results ORDER BY checked_at DESC LIMIT -1 OFFSET ?)`,
        MOST_RESULTS,
      );
    });
  }
}

function resultOf(row: Readonly<Record<string, unknown>>): Omit<CheckResult, 'name'> {
  return {
    state: row['state'] === 'passing' ? 'passing' : 'failing',
    exit_code: typeof row['exit_code'] === 'number' ? row['exit_code'] : null,
    took_ms: Number(row['took_ms']),
    output: String(row['output']),
    checked_at: String(row['checked_at']),
  };
}
