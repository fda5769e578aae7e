import { z } from 'zod';
import type { FailedCheck, Feedback, Remark } from '../../domain/review/ci-feedback.ts';
import type { ForgeApi } from '../forge-api.ts';
import type { Target } from '../pull-request-target.ts';
import { logEnd } from './log-end.ts';
import { remarksOfWriters } from './remarks-of-writers.ts';

const PAGE_SIZE = 100;
const PAGES = 10;
const RUNNING = ['created', 'waiting_for_resource', 'preparing', 'pending', 'running', 'scheduled'];
/** The access level of a developer, who may push. */
const MAY_WRITE = 30;

export async function gitlabFeedback(api: ForgeApi, target: Target, signal: AbortSignal): Promise<Feedback> {
  const { forge, repository, number } = target;
  const merge = await api.get(
    forge,
    {
      route: '/projects/{repository}/merge_requests/{number}',
      parameters: { repository, number },
      schema: mergeRequest,
    },
    signal,
  );
  const pipeline = merge.head_pipeline ?? undefined;
  return {
    commit: merge.sha,
    pending: pipeline !== undefined && RUNNING.includes(pipeline.status),
    failed:
      pipeline?.status === 'failed' ? await failedJobs(api, target, { pipeline: pipeline.id, signal }) : [],
    remarks: await remarksOf(api, target, signal),
  };
}

async function failedJobs(
  api: ForgeApi,
  { forge, repository }: Target,
  { pipeline, signal }: { readonly pipeline: number; readonly signal: AbortSignal },
): Promise<readonly FailedCheck[]> {
  const route = '/projects/{repository}/pipelines/{pipeline}/jobs{?per_page}';
  const parameters = { repository, pipeline, per_page: PAGE_SIZE };
  const all = await api.get(forge, { route, parameters, schema: jobs }, signal);
  const failed = all.filter(({ status, allow_failure }) => status === 'failed' && allow_failure !== true);
  return Promise.all(
    failed.map(async ({ id, name, web_url }) => ({
      name,
      url: web_url ?? null,
      output: await logEnd(forge, `/projects/${encodeURIComponent(repository)}/jobs/${id}/trace`, signal),
    })),
  );
}

async function remarksOf(
  api: ForgeApi,
  { forge, repository, number }: Target,
  signal: AbortSignal,
): Promise<readonly Remark[]> {
  const notes: z.output<typeof note>[] = [];
  for (let page = 1; page <= PAGES; page++) {
    const route = '/projects/{repository}/merge_requests/{number}/discussions{?per_page,page}';
    const parameters = { repository, number, per_page: PAGE_SIZE, page };
    const some = await api.get(forge, { route, parameters, schema: discussions }, signal);
    notes.push(...some.flatMap((each) => each.notes));
    if (some.length < PAGE_SIZE) break;
  }
  const open = notes.filter(
    ({ resolvable, resolved, system }) => resolvable && resolved !== true && system !== true,
  );
  return remarksOfWriters(
    open.map(({ id, author, body, position }) => ({
      id: String(id),
      author: author.username,
      author_id: author.id,
      path: position?.new_path ?? position?.old_path ?? null,
      line: position?.new_line ?? position?.old_line ?? null,
      text: body,
    })),
    ({ author_id }) => author_id,
    async (user) => {
      const question = {
        route: '/projects/{repository}/members/all/{user}',
        parameters: { repository, user },
        schema: member,
      };
      return (await api.get(forge, question, signal)).access_level >= MAY_WRITE;
    },
  );
}

const mergeRequest = z.object({
  sha: z.string(),
  head_pipeline: z.object({ id: z.int(), status: z.string() }).nullish(),
});
const jobs = z.array(
  z.object({
    id: z.int(),
    name: z.string(),
    status: z.string(),
    allow_failure: z.boolean().nullish(),
    web_url: z.string().nullish(),
  }),
);
const note = z.object({
  id: z.int(),
  author: z.object({ id: z.int(), username: z.string() }),
  body: z.string(),
  system: z.boolean().nullish(),
  resolvable: z.boolean().default(false),
  resolved: z.boolean().nullish(),
  position: z
    .object({
      new_path: z.string().nullish(),
      old_path: z.string().nullish(),
      new_line: z.int().nullish(),
      old_line: z.int().nullish(),
    })
    .nullish(),
});
const discussions = z.array(z.object({ notes: z.array(note) }));
const member = z.object({ access_level: z.int() });
