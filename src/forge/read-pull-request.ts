import { z } from 'zod';
import type { Fetched } from './forge.ts';
import type { ForgeApi, Question } from './forge-api.ts';
import type { Target } from './pull-request-target.ts';

type Checks = Fetched['check_status'];

/** Asks a forge how a pull request stands. Throws a ForgeProblem. */
export async function readPullRequest(api: ForgeApi, target: Target, signal: AbortSignal): Promise<Fetched> {
  const { forge, repository, number } = target;
  const get = <Output>(
    schema: z.ZodType<Output>,
    route: string,
    parameters: Question<Output>['parameters'],
  ) => api.get(forge, { route, parameters, schema }, signal);
  if (forge.type === 'gitlab') {
    const merge = await get(mergeRequest, '/projects/{repository}/merge_requests/{number}', {
      repository,
      number,
    });
    return { status: statusOf(merge), check_status: pipelineChecks(merge.head_pipeline?.status) };
  }
  const [owner = '', repo = ''] = repository.split('/');
  const pull = await get(pullRequest, '/repos/{owner}/{repo}/pulls/{number}', { owner, repo, number });
  const at = { owner, repo, sha: pull.head.sha };
  const all = [statusChecks(await get(combinedStatus, '/repos/{owner}/{repo}/commits/{sha}/status', at))];
  if (forge.type === 'github') {
    const route = '/repos/{owner}/{repo}/commits/{sha}/check-runs{?per_page,page}';
    for (let page = 1; page <= PAGES; page++) {
      const { total_count, check_runs } = await get(checkRuns, route, { ...at, per_page: PAGE_SIZE, page });
      all.push(...check_runs.map(runChecks));
      if (total_count <= page * PAGE_SIZE) break;
    }
  }
  return { status: statusOf(pull), check_status: worst(all) };
}

const PAGE_SIZE = 100;
/** GitHub shows no more than 1,000 of them. */
const PAGES = 10;

const pullRequest = z.object({
  state: z.string(),
  draft: z.boolean().nullish(),
  merged: z.boolean().nullish(),
  head: z.object({ sha: z.string().regex(/^[0-9a-f]{7,64}$/) }),
});
const mergeRequest = z.object({
  state: z.string(),
  draft: z.boolean().nullish(),
  head_pipeline: z.object({ status: z.string() }).nullish(),
});
const combinedStatus = z.object({ state: z.string(), total_count: z.number().nullish() });
const checkRuns = z.object({
  total_count: z.number(),
  check_runs: z.array(z.object({ status: z.string(), conclusion: z.string().nullish() })),
});

function statusOf({
  state,
  draft,
  merged,
}: {
  state: string;
  draft?: unknown;
  merged?: unknown;
}): Fetched['status'] {
  if (merged === true || state === 'merged') return 'merged';
  if (state === 'closed') return 'closed';
  return draft === true ? 'draft' : 'open';
}

function statusChecks({ state, total_count }: z.output<typeof combinedStatus>): Checks {
  if (total_count === 0 || state === '') return 'none';
  if (state === 'success' || state === 'warning') return 'passing';
  return state === 'pending' ? 'pending' : 'failing';
}

function runChecks({
  status,
  conclusion,
}: {
  status: string;
  conclusion?: string | null | undefined;
}): Checks {
  if (status !== 'completed') return 'pending';
  return ['success', 'neutral', 'skipped'].includes(conclusion ?? '') ? 'passing' : 'failing';
}

function pipelineChecks(status: string | undefined): Checks {
  if (status === undefined) return 'none';
  if (status === 'success') return 'passing';
  if (['failed', 'canceled'].includes(status)) return 'failing';
  return status === 'skipped' ? 'none' : 'pending';
}

function worst(all: readonly Checks[]): Checks {
  return (['failing', 'pending', 'passing'] as const).find((each) => all.includes(each)) ?? 'none';
}
