import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { text } from 'node:stream/consumers';
import { forgeMemory } from '../../../test/metadata/forge-memory.ts';
import { smallForge, type Respond, type SmallForge } from '../../../test/metadata/small-forge.ts';
import type { Forge } from '../forge.ts';
import { ForgeApi } from '../forge-api.ts';
import { openPullRequestOf, type OpenPullRequest } from './open-pull-request-of.ts';
import { publishPullRequest } from './publish-pull-request.ts';

let server: SmallForge;
let sent: { method: string; path: string; body: unknown }[];
beforeEach(async () => {
  server = await smallForge();
  sent = [];
});
afterEach(async () => server[Symbol.asyncDispose]());

const SIGNAL = AbortSignal.timeout(60_000);
const FRESH = { base: 'main', title: 'Fix it', body: 'All of it', draft: false };

/** Notes what was sent to a path, and answers. */
const takes = (path: string, answer: unknown, status = 200): void =>
  void server.answers.set(path, (async (request, response) => {
    const body: unknown = JSON.parse((await text(request)) || 'null');
    if (request.method !== 'GET') sent.push({ method: request.method ?? '', path, body });
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
  }) satisfies (...args: Parameters<Respond>) => Promise<void>);

function publish(type: Forge['type'], more: object = {}, existing?: OpenPullRequest) {
  const forge: Forge = { type, url: server.url, token: 'secret' };
  const request = {
    forge,
    repository: 'team/setup',
    branch: 'fleet/sony',
    existing,
    fresh: FRESH,
    edit: { title: undefined, body: undefined },
    reviewers: [],
    labels: [],
    ...more,
  };
  return publishPullRequest(new ForgeApi(forgeMemory()), request, SIGNAL);
}

// The shapes of GitHub and GitLab are those of their public API documentation.
describe('GitHub', () => {
  const base = '/api/v3/repos/team/setup';

  it('gets a new pull request, a review request and labels', async () => {
    takes(`${base}/pulls`, { number: 7 }, 201);
    takes(`${base}/pulls/7/requested_reviewers`, { number: 7 }, 201);
    takes(`${base}/issues/7/labels`, [], 200);
    expect(
      await publish('github', { fresh: { ...FRESH, draft: true }, reviewers: ['ada'], labels: ['bug'] }),
    ).toEqual({ url: `${server.url}/team/setup/pull/7`, opened: true, notes: [] });
    expect(sent).toEqual([
      {
        method: 'POST',
        path: `${base}/pulls`,
        body: { head: 'fleet/sony', base: 'main', title: 'Fix it', body: 'All of it', draft: true },
      },
      { method: 'POST', path: `${base}/pulls/7/requested_reviewers`, body: { reviewers: ['ada'] } },
      { method: 'POST', path: `${base}/issues/7/labels`, body: { labels: ['bug'] } },
    ]);
    expect(server.asked[0]?.headers.authorization).toBe('token secret');
  });

  it('changes only what is given of one that is there', async () => {
    const existing = { number: 7, title: 'By hand' };
    await publish('github', {}, existing);
    expect(sent).toEqual([]);
    takes(`${base}/pulls/7`, {});
    await publish('github', { edit: { title: undefined, body: 'New' } }, existing);
    expect(sent).toEqual([{ method: 'PATCH', path: `${base}/pulls/7`, body: { body: 'New' } }]);
  });

  it('has the one that was opened at the same moment', async () => {
    takes(`${base}/pulls`, { message: 'Validation Failed' }, 422);
    takes(`${base}/pulls?head=team%3Afleet%2Fsony&state=open&per_page=50&page=1`, [
      { number: 8, title: 'x', head: { ref: 'fleet/sony', repo: { full_name: 'other/setup' } } },
      { number: 9, title: 'x', head: { ref: 'fleet/sony', repo: { full_name: 'Team/Setup' } } },
    ]);
    expect((await publish('github')).url).toBe(`${server.url}/team/setup/pull/9`);
  });

  it('is quoted when it refuses, without the token', async () => {
    const errors = [{ message: 'No commits between main and fleet/sony' }];
    takes(`${base}/pulls`, { message: 'Validation Failed: secret', errors }, 422);
    takes(`${base}/pulls?head=team%3Afleet%2Fsony&state=open&per_page=50&page=1`, []);
    await expect(publish('github')).rejects.toMatchObject({
      status: 422,
      message: expect.stringMatching(/refuses it \(422\): Validation Failed: …; No commits between/),
    });
  });

  it('that refuses a reviewer has the pull request all the same', async () => {
    takes(`${base}/pulls`, { number: 7 }, 201);
    takes(
      `${base}/pulls/7/requested_reviewers`,
      { message: 'Reviews may only be requested from collaborators' },
      422,
    );
    expect((await publish('github', { reviewers: ['eve'] })).notes).toEqual([
      expect.stringContaining('The reviewers were not asked: '),
    ]);
  });
});

describe('GitLab', () => {
  const base = '/api/v4/projects/team%2Fsetup/merge_requests';

  it('gets a new merge request, with reviewers by their ids', async () => {
    takes(base, { iid: 3 }, 201);
    takes(`${base}/3`, { reviewers: [{ id: 1 }] });
    takes('/api/v4/users?username=ada', [{ id: 42 }]);
    const { url, notes } = await publish('gitlab', {
      fresh: { ...FRESH, draft: true },
      reviewers: ['ada'],
      labels: ['bug', 'ui'],
    });
    expect({ url, notes }).toEqual({ url: `${server.url}/team/setup/-/merge_requests/3`, notes: [] });
    expect(sent).toEqual([
      {
        method: 'POST',
        path: base,
        body: {
          source_branch: 'fleet/sony',
          target_branch: 'main',
          title: 'Draft: Fix it',
          description: 'All of it',
        },
      },
      { method: 'PUT', path: `${base}/3`, body: { reviewer_ids: [1, 42] } },
      { method: 'PUT', path: `${base}/3`, body: { add_labels: 'bug,ui' } },
    ]);
    expect(server.asked[0]?.headers['private-token']).toBe('secret');
  });

  it('leaves a draft a draft when its title changes', async () => {
    takes(`${base}/3`, {});
    const edit = { title: 'Better', body: 'Text' };
    await publish('gitlab', { edit }, { number: 3, title: 'Draft: Fix it' });
    expect(sent).toEqual([
      { method: 'PUT', path: `${base}/3`, body: { title: 'Draft: Better', description: 'Text' } },
    ]);
  });

  it('is asked for the open merge request of the branch in the project itself', async () => {
    const merge = { source_branch: 'fleet/sony', target_project_id: 1 };
    takes(`${base}?source_branch=fleet%2Fsony&state=opened&per_page=50`, [
      { ...merge, iid: 4, title: 'fork', source_project_id: 2 },
      { ...merge, iid: 3, title: 'own', source_project_id: 1 },
    ]);
    const forge: Forge = { type: 'gitlab', url: server.url, token: 'secret' };
    const place = { forge, repository: 'team/setup', branch: 'fleet/sony' };
    expect(await openPullRequestOf(new ForgeApi(forgeMemory()), place, SIGNAL)).toEqual({
      number: 3,
      title: 'own',
    });
  });
});
