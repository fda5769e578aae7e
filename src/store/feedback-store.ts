import { NO_FEEDBACK, type FeedbackState } from '../domain/review/ci-feedback.ts';
import type { Store } from './store.ts';

/** What of pull requests was given to agents as tasks, so that a restart does not repeat it. */
export class FeedbackStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Another pull request of the agent begins again. */
  get(workspace_id: string, url: string): FeedbackState {
    const row = this.#store.get('SELECT data FROM ci_feedback WHERE workspace_id = ?', workspace_id);
    if (row === undefined) return NO_FEEDBACK;
    const { url: known, ...state } = JSON.parse(String(row['data'])) as FeedbackState & { url: string };
    return known === url ? state : NO_FEEDBACK;
  }

  put(workspace_id: string, url: string, state: FeedbackState): void {
    this.#store.run(
      'INSERT OR REPLACE INTO ci_feedback (workspace_id, data) VALUES (?, ?)',
      workspace_id,
      JSON.stringify({ url, ...state }),
    );
  }

  keepOnly(workspaces: ReadonlySet<string>): void {
    for (const row of this.#store.all('SELECT workspace_id FROM ci_feedback')) {
      const id = String(row['workspace_id']);
      if (!workspaces.has(id)) this.#store.run('DELETE FROM ci_feedback WHERE workspace_id = ?', id);
    }
  }
}
