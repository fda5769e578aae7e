import { z } from 'zod';
import type { ForgeApi } from '../forge-api.ts';
import type { ForgePlace } from '../forge-place.ts';
import { ForgeProblem } from '../forge-problem.ts';

export interface Labels extends ForgePlace {
  readonly number: number;
  readonly labels: readonly string[];
}

const PAGE_SIZE = 50;
const PAGES = 20;

/** Adds labels to a pull request. Throws a ForgeProblem. */
export async function addLabels(
  api: ForgeApi,
  { forge, repository, number, labels }: Labels,
  signal: AbortSignal,
): Promise<void> {
  if (labels.length === 0) return;
  if (forge.type === 'gitlab') {
    const route = '/projects/{repository}/merge_requests/{number}';
    const parameters = { repository, number, add_labels: labels.join(',') };
    await api.send(forge, { method: 'PUT', route, parameters, schema: z.unknown() }, signal);
    return;
  }
  const [owner = '', repo = ''] = repository.split('/');
  const route = '/repos/{owner}/{repo}/issues/{number}/labels';
  // Gitea leaves names that it does not know out without a word.
  const ids = forge.type === 'gitea' ? await giteaLabels(api, { forge, repository, labels }, signal) : labels;
  const parameters = { owner, repo, number, labels: ids };
  await api.send(forge, { method: 'POST', route, parameters, schema: z.unknown() }, signal);
}

async function giteaLabels(
  api: ForgeApi,
  { forge, repository, labels }: Omit<Labels, 'number'>,
  signal: AbortSignal,
): Promise<readonly number[]> {
  const [owner = '', repo = ''] = repository.split('/');
  const all: z.output<typeof known> = [];
  for (let page = 1; page <= PAGES; page++) {
    const route = '/repos/{owner}/{repo}/labels{?limit,page}';
    const parameters = { owner, repo, limit: PAGE_SIZE, page };
    const some = await api.get(forge, { route, parameters, schema: known }, signal);
    all.push(...some);
    if (some.length < PAGE_SIZE) break;
  }
  return labels.map((label) => {
    const found = all.find(({ name }) => name.toLowerCase() === label.toLowerCase());
    if (found !== undefined) return found.id;
    throw new ForgeProblem(`${repository} has no label ${label}`, 404);
  });
}

const known = z.array(z.object({ id: z.int(), name: z.string() }));
