import { CHECK_STATUSES, PULL_REQUEST_STATUSES, type PullRequest } from '../domain/pull-request.ts';
import type { Store } from './store.ts';

/** What was last heard of a pull request. */
export interface KnownPullRequest extends PullRequest {
  readonly fetched_at: number;
  /** False when its host is not among the forges: then what was set by hand stands. */
  readonly asked: boolean;
}

/** What forges said, for all processes of a fleet. */
export class PullRequestBook {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  all(): ReadonlyMap<string, KnownPullRequest> {
    const rows = this.#store.all('SELECT * FROM pull_requests').map(knownOf);
    return new Map(rows.map((each) => [each.url, each]));
  }

  get(url: string): KnownPullRequest | undefined {
    const row = this.#store.get('SELECT * FROM pull_requests WHERE url = ?', url);
    return row === undefined ? undefined : knownOf(row);
  }

  put({ url, status, check_status, error, fetched_at, asked }: KnownPullRequest): void {
    this.#store.run(
      'INSERT OR REPLACE INTO pull_requests VALUES (?, ?, ?, ?, ?, ?)',
      url,
      status,
      check_status,
      error,
      fetched_at,
      asked ? 1 : 0,
    );
  }

  /** Forgets those that no agent has any more. */
  keepOnly(urls: ReadonlySet<string>): void {
    for (const url of this.all().keys())
      if (!urls.has(url)) this.#store.run('DELETE FROM pull_requests WHERE url = ?', url);
  }
}

function knownOf(row: Readonly<Record<string, unknown>>): KnownPullRequest {
  return {
    url: String(row['url']),
    status: PULL_REQUEST_STATUSES.find((each) => each === row['status']) ?? null,
    check_status: CHECK_STATUSES.find((each) => each === row['check_status']) ?? null,
    error: typeof row['error'] === 'string' ? row['error'] : null,
    fetched_at: Number(row['fetched_at']),
    asked: row['asked'] === 1,
  };
}
