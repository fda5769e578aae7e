import {
  METADATA_VALUE_LIMIT,
  PULL_REQUEST_CHECK_KEY,
  PULL_REQUEST_STATUS_KEY,
  PULL_REQUEST_URL_KEY,
} from './metadata.ts';

export const PULL_REQUEST_STATUSES = ['open', 'draft', 'merged', 'closed'] as const;
export const CHECK_STATUSES = ['passing', 'failing', 'pending', 'none'] as const;

export interface PullRequest {
  readonly url: string;
  readonly status: (typeof PULL_REQUEST_STATUSES)[number] | null;
  readonly check_status: (typeof CHECK_STATUSES)[number] | null;
  readonly error: string | null;
}

/** The pull request of an agent's work, as its key-values tell it. */
export function pullRequestOf(metadata: Readonly<Record<string, string>>): PullRequest | null {
  const url = metadata[PULL_REQUEST_URL_KEY];
  if (url === undefined) return null;
  return {
    url,
    status: oneOf(PULL_REQUEST_STATUSES, metadata[PULL_REQUEST_STATUS_KEY]),
    check_status: oneOf(CHECK_STATUSES, metadata[PULL_REQUEST_CHECK_KEY]),
    error: null,
  };
}

/** True for an address that has the form of a pull request's, on any forge. */
export function isPullRequestAddress(address: string): boolean {
  if (Buffer.byteLength(address) > METADATA_VALUE_LIMIT) return false;
  return /^https?:\/\/[^/?#]+\/[^?#]+\/(pull|pulls|merge_requests)\/\d+\/?$/.test(address);
}

/** True when a pull request has that number (`7`, `#7`) or that status. */
export function matchesPullRequest({ url, status }: PullRequest, wanted: string): boolean {
  const [, number] = /\/(?:pull|pulls|merge_requests)\/(\d+)(?:[/?#]|$)/.exec(url) ?? [];
  return status === wanted || (number !== undefined && Number(number) === Number(wanted.replace(/^#/, '')));
}

function oneOf<const Values extends readonly string[]>(
  values: Values,
  value: string | undefined,
): Values[number] | null {
  return values.find((known) => known === value) ?? null;
}
