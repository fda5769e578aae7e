import type { CoderClient } from '../client/coder-client.ts';
import { MANAGED, PARAMETERS } from '../model/parameters.ts';
import { workspacesSchema, type Workspace } from '../model/workspace-schema.ts';

/** A server's time for a page grows faster than the page. */
const PAGE = 200;
const PAGES_AT_ONCE = 2;
/** The limit of an address. */
const IDS_AT_ONCE = 100;

/** All workspaces of this user that Fleet made, by the quickest paging. Only this fleet knows of the unmarked ones. */
export async function listWorkspaces(
  client: CoderClient,
  unmarked: readonly string[],
): Promise<readonly Workspace[]> {
  const marked = await listBy(client, `owner:me param:${PARAMETERS.managed}=${MANAGED}`);
  const found = [...marked];
  for (let first = 0; first < unmarked.length; first += IDS_AT_ONCE)
    found.push(...(await listBy(client, `id:${unmarked.slice(first, first + IDS_AT_ONCE).join(',')}`)));
  return found;
}

/** Workspaces by a query in Coder's own words. */
export async function listBy(client: CoderClient, query: string): Promise<readonly Workspace[]> {
  const page = (number: number) =>
    client.ask(
      `/workspaces?q=${encodeURIComponent(query)}&limit=${PAGE}&offset=${number * PAGE}`,
      workspacesSchema,
    );
  const first = await page(0);
  const found = new Map(first.workspaces.map((workspace) => [workspace.id, workspace]));
  const pages = Math.ceil(first.count / PAGE);
  for (let next = 1; next < pages; next += PAGES_AT_ONCE) {
    const numbers = Array.from({ length: Math.min(PAGES_AT_ONCE, pages - next) }, (_, index) => next + index);
    // The order moves while pages are read: one may be in two of them.
    for (const { workspaces } of await Promise.all(numbers.map(page)))
      for (const workspace of workspaces) found.set(workspace.id, workspace);
  }
  return [...found.values()];
}
