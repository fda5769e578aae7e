import type { ForgeApi } from '../forge-api.ts';
import { ForgeProblem } from '../forge-problem.ts';
import { pullRequestAddress } from '../pull-request-target.ts';
import { addLabels } from './add-labels.ts';
import { createPullRequest, type NewPullRequest } from './create-pull-request.ts';
import { editPullRequest, type Edit } from './edit-pull-request.ts';
import type { OpenPullRequest, PublishedBranch } from './open-pull-request-of.ts';
import { requestReviewers } from './request-reviewers.ts';

export interface PullRequestRequest extends PublishedBranch {
  /** The one that the branch has already; undefined opens one. */
  readonly existing: OpenPullRequest | undefined;
  readonly fresh: NewPullRequest;
  /** What changes of one that is there. */
  readonly edit: Edit;
  readonly reviewers: readonly string[];
  readonly labels: readonly string[];
}

export interface PublishedPullRequest {
  readonly url: string;
  readonly opened: boolean;
  /** Sentences about what was not done. */
  readonly notes: readonly string[];
}

/** Opens a pull request for a branch, or updates the one that it has. Doing it again changes the same one. Throws a
 *  ForgeProblem. */
export async function publishPullRequest(
  api: ForgeApi,
  { existing, fresh, edit, reviewers, labels, ...place }: PullRequestRequest,
  signal: AbortSignal,
): Promise<PublishedPullRequest> {
  if (existing !== undefined) await editPullRequest(api, { ...place, ...existing, edit }, signal);
  const number = existing?.number ?? (await createPullRequest(api, { ...place, ...fresh }, signal));
  const target = { ...place, number };
  // The pull request is there: a reviewer or a label that the forge refuses does not make it fail.
  const notes = [
    ...(await tried('The reviewers were not asked', () =>
      requestReviewers(api, { ...target, reviewers }, signal),
    )),
    ...(await tried('The labels were not added', () => addLabels(api, { ...target, labels }, signal))),
  ];
  return { url: pullRequestAddress(target), opened: existing === undefined, notes };
}

async function tried(otherwise: string, work: () => Promise<void>): Promise<readonly string[]> {
  try {
    await work();
    return [];
  } catch (thrown) {
    if (!(thrown instanceof ForgeProblem)) throw thrown;
    return [`${otherwise}: ${thrown.message}.`];
  }
}
