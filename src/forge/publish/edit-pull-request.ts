import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import type { ForgePlace } from '../forge-place.ts';
import { draftTitle, isDraftTitle } from './draft-title.ts';
import type { OpenPullRequest } from './open-pull-request-of.ts';

export interface Edit {
  readonly title: string | undefined;
  readonly body: string | undefined;
}

/** Changes the title and the text of a pull request where they are given. A draft stays one. Throws a ForgeProblem. */
export async function editPullRequest(
  api: ForgeApi,
  { forge, repository, number, title: before, edit }: ForgePlace & OpenPullRequest & { readonly edit: Edit },
  signal: AbortSignal,
): Promise<void> {
  if (edit.title === undefined && edit.body === undefined) return;
  const title =
    edit.title !== undefined && forge.type !== 'github' && isDraftTitle(before)
      ? draftTitle(edit.title, forge.type)
      : edit.title;
  const changed = title === undefined ? {} : { title };
  if (forge.type === 'gitlab') {
    const description = edit.body === undefined ? {} : { description: edit.body };
    const route = '/projects/{repository}/merge_requests/{number}';
    const parameters = { repository, number, ...changed, ...description };
    await api.send(forge, { method: 'PUT', route, parameters, schema: ANYTHING }, signal);
    return;
  }
  const [owner = '', repo = ''] = repository.split('/');
  const body = edit.body === undefined ? {} : { body: edit.body };
  const route = '/repos/{owner}/{repo}/pulls/{number}';
  const parameters = { owner, repo, number, ...changed, ...body };
  await api.send(forge, { method: 'PATCH', route, parameters, schema: ANYTHING }, signal);
}

const ANYTHING = z.unknown();
