import { z } from 'zod';
import type { Feedback, Remark } from '../../domain/review/ci-feedback.ts';
import type { ForgeApi } from '../forge-api.ts';
import type { Target } from '../pull-request-target.ts';
import { collaboratorPermission } from './collaborator-permission.ts';
import { pullRequestHead } from './pull-request-head.ts';
import { remarksOfWriters } from './remarks-of-writers.ts';

const PAGE_SIZE = 50;
const PAGES = 10;

/** Gitea does not say which job a status is of, so a failure has its description and its address, and no log. */
export async function giteaFeedback(api: ForgeApi, target: Target, signal: AbortSignal): Promise<Feedback> {
  const { forge, repository } = target;
  const [owner = '', repo = ''] = repository.split('/');
  const sha = await pullRequestHead(api, target, signal);
  const combined = await api.get(
    forge,
    {
      route: '/repos/{owner}/{repo}/commits/{sha}/status',
      parameters: { owner, repo, sha },
      schema: combinedStatus,
    },
    signal,
  );
  const statuses = combined.statuses ?? [];
  return {
    commit: sha,
    pending: statuses.some(({ status }) => status === 'pending'),
    failed: statuses
      .filter(({ status }) => ['failure', 'error'].includes(status))
      .map(({ context, description, target_url }) => ({
        name: context,
        url: target_url === undefined || target_url === null || target_url === '' ? null : target_url,
        output: description ?? '',
      })),
    remarks: await remarksOf(api, target, signal),
  };
}

async function remarksOf(api: ForgeApi, target: Target, signal: AbortSignal): Promise<readonly Remark[]> {
  const { forge, repository, number } = target;
  const [owner = '', repo = ''] = repository.split('/');
  const at = { owner, repo, number };
  const all: z.output<typeof reviews> = [];
  for (let page = 1; page <= PAGES; page++) {
    const route = '/repos/{owner}/{repo}/pulls/{number}/reviews{?limit,page}';
    const parameters = { ...at, limit: PAGE_SIZE, page };
    const some = await api.get(forge, { route, parameters, schema: reviews }, signal);
    all.push(...some);
    if (some.length < PAGE_SIZE) break;
  }
  const open: Remark[] = [];
  for (const { id: review } of all.filter(({ comments_count }) => comments_count > 0)) {
    const route = '/repos/{owner}/{repo}/pulls/{number}/reviews/{review}/comments';
    const found = await api.get(forge, { route, parameters: { ...at, review }, schema: comments }, signal);
    for (const { id, user, body, path, position, resolver } of found)
      if (user !== null && (resolver ?? null) === null)
        open.push({ id: String(id), author: user.login, path, line: position ?? null, text: body });
  }
  return remarksOfWriters(
    open,
    ({ author }) => author,
    async (user) =>
      ['owner', 'admin', 'write'].includes(await collaboratorPermission(api, { target, user }, signal)),
  );
}

const combinedStatus = z.object({
  statuses: z
    .array(
      z.object({
        context: z.string(),
        status: z.string(),
        description: z.string().nullish(),
        target_url: z.string().nullish(),
      }),
    )
    .nullish(),
});
const reviews = z.array(z.object({ id: z.int(), comments_count: z.int().default(0) }));
const comments = z.array(
  z.object({
    id: z.int(),
    user: z.object({ login: z.string() }).nullable(),
    body: z.string(),
    path: z.string(),
    position: z.int().nullish(),
    resolver: z.unknown(),
  }),
);
