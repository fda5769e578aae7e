import type { FORGE_TYPES } from '../domain/values/forge-types.ts';
import type { PullRequest } from '../domain/metadata/pull-request.ts';

/** A host of pull requests that the configuration allows. */
export interface Forge {
  readonly type: (typeof FORGE_TYPES)[number];
  /** The address of its pages, without a slash at the end. */
  readonly url: string;
  readonly token: string | null;
}

/** What a forge says of a pull request. */
export type Fetched = Pick<PullRequest, 'status' | 'check_status'>;
