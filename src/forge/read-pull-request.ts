import { z } from 'zod';
import type { Fetched } from './forge.ts';
import { ForgeProblem, type ForgeApi } from './forge-api.ts';
import type { Target } from './pull-request-target.ts';

type Checks = Fetched['check_status'];

/** Asks a forge how a pull request stands. Throws a ForgeProblem. */
export async function readPullRequest(api: ForgeApi, target: Target, signal: AbortSignal): Promise<Fetched> {
  const { forge, repository, number } = target;
  if (forge.type === 'gitlab') {
    const route = '/projects/{repository}/merge_requests/{number}';
    const merge = parsed(mergeRequest, await api.get(forge, route, { repository, number, signal }));
    return { status: statusOf(merge), check_status: pipelineChecks(merge.head_pipeline?.status) };
  }
  const [owner, repo] = repository.split('/');
  const place = { owner, repo, signal };
  const pull = parsed(
    pullRequest,
    await api.get(forge, '/repos/{owner}/{repo}/pulls/{number}', { ...place, number }),
  );
  const at = { ...place, sha: pull.head.sha };
  const combined = parsed(
    combinedStatus,
    await api.get(forge, '/repos/{owner}/{repo}/commits/{sha}/status', at),
  );
  const all = [statusChecks(combined)];
  if (forge.type === 'github') {
    const route = '/repos/{owner}/{repo}/commits/{sha}/check-runs{?per_page}';
    all.push(
      ...parsed(checkRuns, await api.get(forge, route, { ...at, per_page: 100 })).check_runs.map(runChecks),
    );
  }
  return { status: statusOf(pull), check_status: worst(all) };
}

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
  check_runs: z.array(z.object({ status: z.string(), conclusion: z.string().nullish() })),
});

function parsed<Output>(schema: z.ZodType<Output>, data: unknown): Output {
  const result = schema.safeParse(data);
  if (result.success) return result.data;
  throw new ForgeProblem('the forge answers with something that is no pull request');
}

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
