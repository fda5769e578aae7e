import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import type { Target } from '../pull-request-target.ts';

/** The newest commit of a pull request, for which GitHub and Gitea have the same question. */
export async function pullRequestHead(
  api: ForgeApi,
  { forge, repository, number }: Target,
  signal: AbortSignal,
): Promise<string> {
  const [owner = '', repo = ''] = repository.split('/');
  const question = {
    route: '/repos/{owner}/{repo}/pulls/{number}',
    parameters: { owner, repo, number },
    schema: pullRequest,
  };
  return (await api.get(forge, question, signal)).head.sha;
}

const pullRequest = z.object({ head: z.object({ sha: z.string().regex(/^[0-9a-f]{7,64}$/) }) });
