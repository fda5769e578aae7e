import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import type { Target } from '../pull-request-target.ts';

/** What a user may do in the repository, for which GitHub and Gitea have the same question. */
export async function collaboratorPermission(
  api: ForgeApi,
  { target: { forge, repository }, user }: { readonly target: Target; readonly user: string | number },
  signal: AbortSignal,
): Promise<string> {
  const [owner = '', repo = ''] = repository.split('/');
  const question = {
    route: '/repos/{owner}/{repo}/collaborators/{user}/permission',
    parameters: { owner, repo, user },
    schema: collaborator,
  };
  return (await api.get(forge, question, signal)).permission;
}

const collaborator = z.object({ permission: z.string() });
