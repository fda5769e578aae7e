import { CHECK_STATUSES, PULL_REQUEST_STATUSES, type PullRequest } from '../domain/metadata/pull-request.ts';
import type { Store } from './store.ts';

/** What a forge last said of a pull request. */
export interface KnownPullRequest extends PullRequest {
  readonly fetched_at: number;
  /** False when its host is not among the forges: then what was set by hand stands. */
  readonly asked: boolean;
  /** When it last said something else than before. */
  readonly changed_at: string;
}

/** What a forge last said of the branch of an agent. */
export interface BranchSearch {
  readonly workspace_id: string;
  readonly branch: string;
  readonly url: string | null;
  readonly searched_at: number;
}

/** What forges said, for all processes of a fleet. */
export class PullRequestStore {
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

  put({ url, status, check_status, error, fetched_at, asked, changed_at }: KnownPullRequest): void {
    this.#store.run(
      `INSERT OR REPLACE INTO pull_requests (url, status, check_status, error, fetched_at, asked, changed_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      url,
      status,
      check_status,
      error,
      fetched_at,
      asked ? 1 : 0,
      changed_at,
    );
  }

  /** By workspace. */
  searches(): ReadonlyMap<string, BranchSearch> {
    const rows = this.#store.all('SELECT * FROM branch_searches').map(searchOf);
    return new Map(rows.map((each) => [each.workspace_id, each]));
  }

  search(workspace_id: string): BranchSearch | undefined {
    const row = this.#store.get('SELECT * FROM branch_searches WHERE workspace_id = ?', workspace_id);
    return row === undefined ? undefined : searchOf(row);
  }

  putSearch({ workspace_id, branch, url, searched_at }: BranchSearch): void {
    this.#store.run(
      'INSERT OR REPLACE INTO branch_searches (workspace_id, branch, url, searched_at) VALUES (?, ?, ?, ?)',
      workspace_id,
      branch,
      url,
      searched_at,
    );
  }

  /** Forgets what no agent has any more. */
  keepOnly({ urls, workspaces }: { urls: ReadonlySet<string>; workspaces: ReadonlySet<string> }): void {
    for (const url of this.all().keys())
      if (!urls.has(url)) this.#store.run('DELETE FROM pull_requests WHERE url = ?', url);
    for (const id of this.searches().keys())
      if (!workspaces.has(id)) this.#store.run('DELETE FROM branch_searches WHERE workspace_id = ?', id);
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
    changed_at: String(row['changed_at']),
  };
}

function searchOf(row: Readonly<Record<string, unknown>>): BranchSearch {
  return {
    workspace_id: String(row['workspace_id']),
    branch: String(row['branch']),
    url: typeof row['url'] === 'string' ? row['url'] : null,
    searched_at: Number(row['searched_at']),
  };
}
