import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgeMemory } from '../../test/metadata/forge-memory.ts';
import { smallForge, type SmallForge } from '../../test/metadata/small-forge.ts';
import { findPullRequest } from './find-pull-request.ts';
import { ForgeApi } from './forge-api.ts';
import type { Forge } from './forge.ts';

let server: SmallForge;
beforeEach(async () => {
  server = await smallForge();
});
afterEach(async () => server[Symbol.asyncDispose]());

const SINCE = '2026-01-02T00:00:00Z';
const LATER = '2026-01-03T00:00:00Z';
const EARLIER = '2026-01-01T00:00:00Z';
const QUERIES = {
  gitea: '/api/v1/repos/team/setup/pulls?state=all&sort=recentupdate&limit=50',
  github: '/api/v3/repos/team/setup/pulls?head=team%3Afleet%2Fsony&state=all&per_page=50',
  gitlab: '/api/v4/projects/team%2Fsetup/merge_requests?source_branch=fleet%2Fsony&state=all&per_page=50',
} as const;

it.each(['gitea', 'github'] as const)('finds the newest open one of a branch at %s', async (type) => {
  server.answers.set(QUERIES[type], [
    pull({ number: 9, ref: 'fleet/other' }),
    pull({ number: 8, repository: 'somebody/setup' }),
    pull({ number: 7, state: 'closed' }),
    pull({ number: 5 }),
    pull({ number: 6 }),
  ]);
  const page = type === 'gitea' ? 'pulls' : 'pull';
  expect(await find(type)).toBe(`${server.url}/team/setup/${page}/6`);
});

it('finds the newest open one of a branch at gitlab, and none of another project', async () => {
  const merge = { created_at: LATER, source_branch: 'fleet/sony', target_project_id: 1 };
  server.answers.set(QUERIES.gitlab, [
    { ...merge, iid: 3, state: 'merged', source_project_id: 1 },
    { ...merge, iid: 4, state: 'opened', source_project_id: 2 },
    { ...merge, iid: 2, state: 'opened', source_project_id: 1 },
  ]);
  expect(await find('gitlab')).toBe(`${server.url}/team/setup/-/merge_requests/2`);
});

it('takes one that is closed when it was opened for this agent', async () => {
  server.answers.set(QUERIES.gitea, [pull({ number: 1, state: 'closed', created_at: EARLIER })]);
  expect(await find('gitea')).toBeUndefined();
  server.answers.set(QUERIES.gitea, [pull({ number: 2, state: 'closed' })]);
  expect(await find('gitea')).toBe(`${server.url}/team/setup/pulls/2`);
});

it('knows the host of a remote by SSH by its name', async () => {
  server.answers.set(QUERIES.gitea, [pull({ number: 1 })]);
  const { hostname } = new URL(server.url);
  expect(await find('gitea', `ssh://${hostname}:2222/team/setup`)).toBe(`${server.url}/team/setup/pulls/1`);
});

it.each(['https://evil.example.com/team/setup', 'ssh://evil.example.com/team/setup'])(
  'asks nobody for %s',
  async (remote) => {
    expect(await find('gitea', remote)).toBeUndefined();
    expect(server.asked).toEqual([]);
  },
);

it.each(['/../setup', '/team', '/team/setup/../../admin', '/team/setup%2F..'])(
  'asks nobody for the path %s',
  async (path) => {
    expect(await find('gitea', `${server.url}${path}`)).toBeUndefined();
    expect(server.asked).toEqual([]);
  },
);

function pull({
  number = 1,
  state = 'open',
  created_at = LATER,
  ref = 'fleet/sony',
  repository = 'Team/setup',
}) {
  return { number, state, created_at, head: { ref, repo: { full_name: repository } } };
}

function find(type: Forge['type'], remote = `${server.url}/team/setup`): Promise<string | undefined> {
  const forges: readonly Forge[] = [{ type, url: server.url, token: null }];
  const asked = { api: new ForgeApi(forgeMemory()), forges };
  return findPullRequest(asked, { remote, branch: 'fleet/sony', since: SINCE }, AbortSignal.timeout(30_000));
}
