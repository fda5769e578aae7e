import { z } from 'zod';
import type { FailedCheck, Feedback, Remark } from '../../domain/review/ci-feedback.ts';
import type { Forge } from '../forge.ts';
import type { ForgeApi } from '../forge-api.ts';
import { ForgeProblem } from '../forge-problem.ts';
import type { Target } from '../pull-request-target.ts';
import { collaboratorPermission } from './collaborator-permission.ts';
import { logEnd } from './log-end.ts';
import { pullRequestHead } from './pull-request-head.ts';
import { remarksOfWriters } from './remarks-of-writers.ts';

const PAGE_SIZE = 100;
const PAGES = 10;
const FAILED = ['failure', 'timed_out', 'startup_failure'];

/** Threads of a review are known by the GraphQL API alone. */
const THREADS = `query ($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) { pullRequest(number: $number) { reviewThreads(last: 100) { nodes {
    isResolved comments(first: 50) { nodes { databaseId author { login __typename } path line body } }
  } } } }
}`;

export async function githubFeedback(api: ForgeApi, target: Target, signal: AbortSignal): Promise<Feedback> {
  const { forge, repository } = target;
  const [owner = '', repo = ''] = repository.split('/');
  const at = { owner, repo, sha: await pullRequestHead(api, target, signal) };
  const { statuses } = await api.get(
    forge,
    { route: '/repos/{owner}/{repo}/commits/{sha}/status', parameters: at, schema: combinedStatus },
    signal,
  );
  const runs = await checkRunsOf(api, forge, { at, signal });
  const failedRuns = runs.filter(({ conclusion }) => FAILED.includes(conclusion ?? ''));
  const checks = await Promise.all(
    failedRuns.map(async (run): Promise<FailedCheck> => {
      const path = `/repos/${owner}/${repo}/actions/jobs/${run.id}/logs`;
      const log = run.app?.slug === 'github-actions' ? await logEnd(forge, path, signal) : '';
      const said = [run.output?.title, run.output?.summary, run.output?.text]
        .filter((part) => part)
        .join('\n');
      return { name: run.name, url: run.html_url ?? null, output: log === '' ? said : log };
    }),
  );
  return {
    commit: at.sha,
    pending:
      runs.some(({ status }) => status !== 'completed') || statuses.some(({ state }) => state === 'pending'),
    failed: [
      ...checks,
      ...statuses
        .filter(({ state }) => ['failure', 'error'].includes(state))
        .map(({ context, description, target_url }) => ({
          name: context,
          url: target_url ?? null,
          output: description ?? '',
        })),
    ],
    remarks: await remarksOf(api, target, signal).catch(withoutRemarks),
  };
}

/** A token may read checks and not the other API: then failing checks still count. */
function withoutRemarks(thrown: unknown): readonly Remark[] {
  if (thrown instanceof ForgeProblem) return [];
  throw thrown;
}

async function checkRunsOf(
  api: ForgeApi,
  forge: Forge,
  { at, signal }: { readonly at: Readonly<Record<string, string>>; readonly signal: AbortSignal },
) {
  const all: z.output<typeof checkRuns>['check_runs'] = [];
  for (let page = 1; page <= PAGES; page++) {
    const route = '/repos/{owner}/{repo}/commits/{sha}/check-runs{?per_page,page}';
    const parameters = { ...at, per_page: PAGE_SIZE, page };
    const { check_runs, total_count } = await api.get(
      forge,
      { route, parameters, schema: checkRuns },
      signal,
    );
    all.push(...check_runs);
    if (total_count <= page * PAGE_SIZE) break;
  }
  return all;
}

async function remarksOf(api: ForgeApi, target: Target, signal: AbortSignal): Promise<readonly Remark[]> {
  const { forge, repository, number } = target;
  const [owner = '', repo = ''] = repository.split('/');
  const route = forge.url === 'https://github.com' ? '/graphql' : `${forge.url}/api/graphql`;
  const parameters = { query: THREADS, variables: { owner, repo, number } };
  const { data } = await api.send(forge, { method: 'POST', route, parameters, schema: threads }, signal);
  const open = data.repository.pullRequest.reviewThreads.nodes.filter(({ isResolved }) => !isResolved);
  const remarks = open
    .flatMap(({ comments }) => comments.nodes)
    .flatMap(({ databaseId, author, path, line, body }) =>
      author === null || author.__typename !== 'User'
        ? []
        : [{ id: String(databaseId), author: author.login, path, line, text: body }],
    );
  return remarksOfWriters(
    remarks,
    ({ author }) => author,
    async (user) => ['admin', 'write'].includes(await collaboratorPermission(api, { target, user }, signal)),
  );
}

const combinedStatus = z.object({
  statuses: z.array(
    z.object({
      context: z.string(),
      state: z.string(),
      description: z.string().nullish(),
      target_url: z.string().nullish(),
    }),
  ),
});
const someText = z.string().nullish();
const checkRuns = z.object({
  total_count: z.number(),
  check_runs: z.array(
    z.object({
      id: z.number(),
      name: z.string(),
      status: z.string(),
      conclusion: someText,
      html_url: someText,
      app: z.object({ slug: someText }).nullish(),
      output: z.object({ title: someText, summary: someText, text: someText }).nullish(),
    }),
  ),
});
const comment = z.object({
  databaseId: z.number(),
  author: z.object({ login: z.string(), __typename: z.string() }).nullable(),
  path: z.string(),
  line: z.number().nullable(),
  body: z.string(),
});
const threads = z.object({
  data: z.object({
    repository: z.object({
      pullRequest: z.object({
        reviewThreads: z.object({
          nodes: z.array(
            z.object({ isResolved: z.boolean(), comments: z.object({ nodes: z.array(comment) }) }),
          ),
        }),
      }),
    }),
  }),
});
