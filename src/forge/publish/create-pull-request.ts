import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import { ForgeProblem } from '../forge-problem.ts';
import { draftTitle } from './draft-title.ts';
import { openPullRequestOf, type PublishedBranch } from './open-pull-request-of.ts';

export interface NewPullRequest {
  readonly base: string;
  readonly title: string;
  readonly body: string;
  readonly draft: boolean;
}

/** Opens a pull request, and returns its number. One that was opened at the same moment is taken. Throws a ForgeProblem. */
export async function createPullRequest(
  api: ForgeApi,
  place: PublishedBranch & NewPullRequest,
  signal: AbortSignal,
): Promise<number> {
  try {
    return await create(api, place, signal);
  } catch (thrown) {
    const taken = thrown instanceof ForgeProblem && [409, 422].includes(thrown.status ?? 0);
    const other = taken ? await openPullRequestOf(api, place, signal) : undefined;
    if (other === undefined) throw thrown;
    return other.number;
  }
}

async function create(
  api: ForgeApi,
  { forge, repository, branch, base, title, body, draft }: PublishedBranch & NewPullRequest,
  signal: AbortSignal,
): Promise<number> {
  const method = 'POST';
  if (forge.type === 'gitlab') {
    const route = '/projects/{repository}/merge_requests';
    const parameters = {
      repository,
      source_branch: branch,
      target_branch: base,
      title: draft ? draftTitle(title, forge.type) : title,
      description: body,
    };
    return (await api.send(forge, { method, route, parameters, schema: mergeRequest }, signal)).iid;
  }
  const [owner = '', repo = ''] = repository.split('/');
  const how =
    forge.type === 'github' ? { title, draft } : { title: draft ? draftTitle(title, forge.type) : title };
  const parameters = { owner, repo, head: branch, base, body, ...how };
  const route = '/repos/{owner}/{repo}/pulls';
  return (await api.send(forge, { method, route, parameters, schema: pullRequest }, signal)).number;
}

const pullRequest = z.object({ number: z.int() });
const mergeRequest = z.object({ iid: z.int() });
