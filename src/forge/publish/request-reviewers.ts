import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import type { ForgePlace } from '../forge-place.ts';
import { ForgeProblem } from '../forge-problem.ts';

export interface Reviewers extends ForgePlace {
  readonly number: number;
  /** Names of users. */
  readonly reviewers: readonly string[];
}

/** Asks users for a review; those who were asked before stay. Throws a ForgeProblem. */
export async function requestReviewers(
  api: ForgeApi,
  { forge, repository, number, reviewers }: Reviewers,
  signal: AbortSignal,
): Promise<void> {
  if (reviewers.length === 0) return;
  if (forge.type !== 'gitlab') {
    const [owner = '', repo = ''] = repository.split('/');
    const route = '/repos/{owner}/{repo}/pulls/{number}/requested_reviewers';
    const parameters = { owner, repo, number, reviewers };
    await api.send(forge, { method: 'POST', route, parameters, schema: z.unknown() }, signal);
    return;
  }
  const route = '/projects/{repository}/merge_requests/{number}';
  const { reviewers: before } = await api.get(
    forge,
    { route, parameters: { repository, number }, schema: mergeRequest },
    signal,
  );
  const ids = (before ?? []).map(({ id }) => id);
  for (const username of reviewers) {
    const question = { route: '/users{?username}', parameters: { username }, schema: users };
    const [user] = await api.get(forge, question, signal);
    if (user === undefined) throw new ForgeProblem(`${new URL(forge.url).host} has no user ${username}`, 404);
    ids.push(user.id);
  }
  const parameters = { repository, number, reviewer_ids: [...new Set(ids)] };
  await api.send(forge, { method: 'PUT', route, parameters, schema: z.unknown() }, signal);
}

const users = z.array(z.object({ id: z.int() }));
const mergeRequest = z.object({ reviewers: z.array(z.object({ id: z.int() })).nullish() });
