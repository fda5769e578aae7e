import { z } from 'zod';
import type { Forge } from './forge.ts';
import type { ForgeApi } from './forge-api.ts';
import { forgePlace, type ForgePlace } from './forge-place.ts';
import { pullRequestAddress } from './pull-request-target.ts';

export interface Branch {
  /** The address that it is pushed to. */
  readonly remote: string;
  readonly branch: string;
  /** What was ended before that is of an earlier branch of the same name. */
  readonly since: string;
}

/** The address of the pull request of a branch; undefined when it has none, or nobody may be asked. Throws a
 *  ForgeProblem. */
export async function findPullRequest(
  { api, forges }: { readonly api: ForgeApi; readonly forges: readonly Forge[] },
  { remote, branch, since }: Branch,
  signal: AbortSignal,
): Promise<string | undefined> {
  const place = forgePlace(remote, forges);
  if (place === undefined) return undefined;
  const found = (await ask(api, { ...place, branch }, signal))
    .filter(({ open, created_at }) => open || Date.parse(created_at) >= Date.parse(since))
    .toSorted((one, other) => Number(other.open) - Number(one.open) || other.number - one.number)[0];
  return found === undefined ? undefined : pullRequestAddress({ ...place, number: found.number });
}

interface Candidate {
  readonly number: number;
  readonly open: boolean;
  readonly created_at: string;
}

/** Those of the branch itself: a branch of the same name in somebody else's copy is another one. */
async function ask(
  api: ForgeApi,
  { forge, repository, branch }: ForgePlace & { readonly branch: string },
  signal: AbortSignal,
): Promise<readonly Candidate[]> {
  if (forge.type === 'gitlab') {
    const route = '/projects/{repository}/merge_requests{?source_branch,state,per_page}';
    const parameters = { repository, source_branch: branch, state: 'all', per_page: 50 };
    const merges = await api.get(forge, { route, parameters, schema: mergeRequests }, signal);
    return merges
      .filter((each) => each.source_project_id === each.target_project_id && each.source_branch === branch)
      .map(({ iid, state, created_at }) => ({ number: iid, open: state === 'opened', created_at }));
  }
  const [owner = '', repo = ''] = repository.split('/');
  const question =
    forge.type === 'github'
      ? {
          route: '/repos/{owner}/{repo}/pulls{?head,state,per_page}',
          parameters: { owner, repo, head: `${owner}:${branch}`, state: 'all', per_page: 50 },
        }
      : {
          route: '/repos/{owner}/{repo}/pulls{?state,sort,limit}',
          parameters: { owner, repo, state: 'all', sort: 'recentupdate', limit: 50 },
        };
  const pulls = await api.get(forge, { ...question, schema: pullRequests }, signal);
  return pulls
    .filter(({ head }) => head.ref === branch && sameText(head.repo?.full_name, repository))
    .map(({ number, state, created_at }) => ({ number, open: state === 'open', created_at }));
}

const pullRequests = z.array(
  z.object({
    number: z.int(),
    state: z.string(),
    created_at: z.string(),
    head: z.object({ ref: z.string(), repo: z.object({ full_name: z.string() }).nullish() }),
  }),
);
const mergeRequests = z.array(
  z.object({
    iid: z.int(),
    state: z.string(),
    created_at: z.string(),
    source_branch: z.string(),
    source_project_id: z.number().nullable(),
    target_project_id: z.number(),
  }),
);

function sameText(one: string | undefined, other: string): boolean {
  return one?.toLowerCase() === other.toLowerCase();
}
