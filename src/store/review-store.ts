import type { ReviewComment } from '../domain/review/review-comment.ts';
import type { Store } from './store.ts';

/** Comments of reviews that are not sent yet. */
export class ReviewStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Oldest first. */
  of(workspace_id: string): readonly ReviewComment[] {
    return this.#store
      .all('SELECT data FROM review_comments WHERE workspace_id = ? ORDER BY rowid', workspace_id)
      .map(({ data }) => JSON.parse(String(data)) as ReviewComment);
  }

  /** Does nothing for one that is there. */
  add(workspace_id: string, comment: ReviewComment): void {
    this.#store.transaction(
      () =>
        this.#store.run(
          'INSERT INTO review_comments VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
          comment.id,
          workspace_id,
          JSON.stringify(comment),
        ),
      true,
    );
  }

  /** False when there was none. */
  remove(workspace_id: string, id: string): boolean {
    const sql = 'DELETE FROM review_comments WHERE workspace_id = ? AND id = ?';
    return this.#store.transaction(() => this.#store.run(sql, workspace_id, id), true) > 0;
  }
}
