import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import type { ForgePlace } from '../forge-place.ts';

/** A pull request that is open. */
export interface OpenPullRequest {
  readonly number: number;
  readonly title: string;
}

export interface PublishedBranch extends ForgePlace {
  readonly branch: string;
}

const PAGE_SIZE = 50;
const PAGES = 20;

/** The newest open pull request of a branch of the repository itself. Throws a ForgeProblem. */
export async function openPullRequestOf(
  api: ForgeApi,
  { forge, repository, branch }: PublishedBranch,
  signal: AbortSignal,
): Promise<OpenPullRequest | undefined> {
  if (forge.type === 'gitlab') {
    const route = '/projects/{repository}/merge_requests{?source_branch,state,per_page}';
    const parameters = { repository, source_branch: branch, state: 'opened', per_page: PAGE_SIZE };
    const merges = await api.get(forge, { route, parameters, schema: mergeRequests }, signal);
    return newest(
      merges
        .filter((each) => each.source_branch === branch && each.source_project_id === each.target_project_id)
        .map(({ iid, title }) => ({ number: iid, title })),
    );
  }
  const [owner = '', repo = ''] = repository.split('/');
  const ofBranch = forge.type === 'github' ? { head: `${owner}:${branch}` } : {};
  const route =
    forge.type === 'github'
      ? '/repos/{owner}/{repo}/pulls{?head,state,per_page,page}'
      : '/repos/{owner}/{repo}/pulls{?state,limit,page}';
  for (let page = 1; page <= PAGES; page++) {
    const size = forge.type === 'github' ? { per_page: PAGE_SIZE } : { limit: PAGE_SIZE };
    const parameters = { owner, repo, state: 'open', page, ...ofBranch, ...size };
    const pulls = await api.get(forge, { route, parameters, schema: pullRequests }, signal);
    const own = pulls.filter(
      ({ head }) => head.ref === branch && head.repo?.full_name.toLowerCase() === repository.toLowerCase(),
    );
    if (own.length > 0) return newest(own);
    if (pulls.length < PAGE_SIZE) return undefined;
  }
  return undefined;
}

const pullRequests = z.array(
  z.object({
    number: z.int(),
    title: z.string(),
    head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  }),
);
const mergeRequests = z.array(
  z.object({
    iid: z.int(),
    title: z.string(),
    source_branch: z.string(),
    source_project_id: z.number().nullable(),
    target_project_id: z.number(),
  }),
);

function newest(found: readonly OpenPullRequest[]): OpenPullRequest | undefined {
  const [first] = found.toSorted((one, other) => other.number - one.number);
  return first === undefined ? undefined : { number: first.number, title: first.title };
}
