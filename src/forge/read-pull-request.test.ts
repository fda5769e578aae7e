import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { forgeMemory } from '../../test/metadata/forge-memory.ts';
import { smallForge, type Respond, type SmallForge } from '../../test/metadata/small-forge.ts';
import type { Forge } from './forge.ts';
import { ForgeApi } from './forge-api.ts';
import { pullRequestTarget } from './pull-request-target.ts';
import { readPullRequest } from './read-pull-request.ts';

let server: SmallForge;
let other: SmallForge;
let api: ForgeApi;
beforeEach(async () => {
  server = await smallForge();
  other = await smallForge();
  api = new ForgeApi(forgeMemory());
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await other[Symbol.asyncDispose]();
});

const SHA = '1f2e3d4c5b6a79880123456789abcdef01234567';
const PULL = { state: 'open', draft: false, merged: false, head: { sha: SHA } };
const GITEA = '/api/v1/repos/team/setup/pulls/7';
const GITEA_CHECKS = `/api/v1/repos/team/setup/commits/${SHA}/status`;

describe('gitea', () => {
  const read = () => ask('gitea', '/team/setup/pulls/7');

  it('tells open, draft, merged and closed, and how its checks stand', async () => {
    for (const [change, status] of [
      [{}, 'open'],
      [{ draft: true }, 'draft'],
      [{ state: 'closed', merged: true }, 'merged'],
      [{ state: 'closed' }, 'closed'],
    ] as const)
      for (const [checks, check_status] of [
        [{ state: 'success', total_count: 1 }, 'passing'],
        [{ state: 'warning', total_count: 1 }, 'passing'],
        [{ state: 'failure', total_count: 2 }, 'failing'],
        [{ state: 'error', total_count: 2 }, 'failing'],
        [{ state: 'pending', total_count: 1 }, 'pending'],
        [{ state: 'pending', total_count: 0 }, 'none'],
      ] as const) {
        server.answers.set(GITEA, { ...PULL, ...change }).set(GITEA_CHECKS, checks);
        expect(await read()).toEqual({ status, check_status });
      }
    expect(server.asked[0]?.headers.authorization).toBe('token secret');
  });

  it('is not sent again what did not change', async () => {
    server.answers.set(GITEA, PULL).set(GITEA_CHECKS, { state: 'success', total_count: 1 });
    const first = await read();
    expect(await read()).toEqual(first);
    expect(server.asked.slice(2).map(({ headers }) => typeof headers['if-none-match'])).toEqual([
      'string',
      'string',
    ]);
  });
});

// The shapes of GitHub and GitLab are those of their public API documentation.
it('reads commit statuses and check runs of GitHub', async () => {
  const base = '/api/v3/repos/team/setup';
  const runs = `${base}/commits/${SHA}/check-runs?per_page=100&page=1`;
  server.answers.set(`${base}/pulls/7`, { ...PULL, merged_at: null });
  server.answers.set(`${base}/commits/${SHA}/status`, { state: 'pending', total_count: 0 });
  for (const [check_runs, check_status] of [
    [[], 'none'],
    [[{ status: 'completed', conclusion: 'success' }], 'passing'],
    [
      [
        { status: 'in_progress', conclusion: null },
        { status: 'completed', conclusion: 'success' },
      ],
      'pending',
    ],
    [
      [
        { status: 'in_progress', conclusion: null },
        { status: 'completed', conclusion: 'timed_out' },
      ],
      'failing',
    ],
  ] as const) {
    server.answers.set(runs, { total_count: check_runs.length, check_runs });
    expect(await ask('github', '/team/setup/pull/7')).toEqual({ status: 'open', check_status });
  }
});

it('reads every page of the check runs of GitHub', async () => {
  const base = '/api/v3/repos/team/setup';
  const run = (conclusion: string) => ({ status: 'completed', conclusion });
  const page = (number: number) => `${base}/commits/${SHA}/check-runs?per_page=100&page=${number}`;
  const all = Array.from({ length: 100 }, () => run('success'));
  server.answers
    .set(`${base}/pulls/7`, PULL)
    .set(`${base}/commits/${SHA}/status`, { state: 'pending', total_count: 0 })
    .set(page(1), { total_count: 101, check_runs: all })
    .set(page(2), { total_count: 101, check_runs: [run('failure')] });
  expect((await ask('github', '/team/setup/pull/7')).check_status).toBe('failing');
});

it('reads merge requests of GitLab, in groups of groups', async () => {
  const path = '/api/v4/projects/team%2Fsub%2Fsetup/merge_requests/7';
  for (const [answer, expected] of [
    [{ state: 'opened', draft: false, head_pipeline: { status: 'running' } }, ['open', 'pending']],
    [{ state: 'opened', draft: true, head_pipeline: { status: 'success' } }, ['draft', 'passing']],
    [{ state: 'merged', head_pipeline: { status: 'failed' } }, ['merged', 'failing']],
    [{ state: 'closed', head_pipeline: null }, ['closed', 'none']],
  ] as const) {
    server.answers.set(path, answer);
    expect(Object.values(await ask('gitlab', '/team/sub/setup/-/merge_requests/7'))).toEqual(expected);
  }
  expect(server.asked[0]?.headers['private-token']).toBe('secret');
});

describe('a forge that cannot be used', () => {
  const text =
    (status: number, body: string, headers: Record<string, string> = {}): Respond =>
    (_, response) =>
      void response.writeHead(status, headers).end(body);
  const endless: Respond = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    const more = (): void => {
      while (response.write(' '.repeat(65_536)));
      response.once('drain', more);
    };
    more();
  };

  it.each([
    ['401', text(401, '{}'), /401/],
    ['403', text(403, '{}'), /403/],
    ['404', text(404, '{}'), /404/],
    ['500', text(500, 'oops'), /500/],
    ['HTML instead of JSON', text(200, '<html>', { 'content-type': 'text/html' }), /not JSON/],
    ['broken JSON', text(200, '{', { 'content-type': 'application/json' }), /.+/],
    ['other JSON', text(200, '[1]', { 'content-type': 'application/json' }), /not a pull request/],
    ['a body without end', endless, /more than/],
    ['a circle', text(302, '', { location: GITEA }), /circle/],
    ['one that hangs up', ((request) => request.socket.destroy()) satisfies Respond, /cannot be reached/],
    ['one that does not answer', (() => {}) satisfies Respond, /in time/],
  ])('is told of in a sentence: %s', async (_, respond, message) => {
    server.answers.set(GITEA, respond);
    await expect(ask('gitea', '/team/setup/pulls/7', 2_000)).rejects.toThrow(message);
    await expect(ask('gitea', '/team/setup/pulls/7', 2_000)).rejects.not.toThrow(/secret/);
  });

  it('is not followed to another host, and the token stays', async () => {
    other.answers.set(GITEA, PULL);
    server.answers.set(GITEA, text(302, '', { location: `${other.url}${GITEA}` }));
    await expect(ask('gitea', '/team/setup/pulls/7')).rejects.toThrow(/another host/);
    expect(other.asked).toEqual([]);
  });

  it('is left alone for as long as it asks for', async () => {
    server.answers.set(GITEA, text(403, '{}', { 'x-ratelimit-remaining': '0', 'retry-after': '3600' }));
    for (let times = 0; times < 3; times++)
      await expect(ask('gitea', '/team/setup/pulls/7')).rejects.toThrow(/rate limit/);
    expect(server.asked).toHaveLength(1);
  });
});

describe('an address', () => {
  const forges: Forge[] = [
    { type: 'gitea', url: 'https://git.example.com/forge', token: null },
    { type: 'github', url: 'https://github.com', token: null },
  ];

  it.each([
    'https://evil.example.com/team/setup/pull/7',
    'http://github.com/team/setup/pull/7',
    'https://github.com:444/team/setup/pull/7',
    'https://user@github.com/team/setup/pull/7',
    'https://github.com.evil.example.com/team/setup/pull/7',
    'https://git.example.com/team/setup/pulls/7',
    'http://169.254.169.254/latest/meta-data',
  ])('of another host is never asked: %s', (address) => {
    expect(pullRequestTarget(address, forges)).toContain('is not among the forges');
  });

  it.each([
    'nonsense',
    'file:///etc/passwd',
    'https://github.com/team/setup/issues/7',
    'https://github.com/../a/pull/7',
  ])('that is none says so: %s', (address) => {
    expect(pullRequestTarget(address, forges)).toContain('is not the address of a pull request');
  });

  it('names its repository and its number, below the path of the forge', () => {
    expect(pullRequestTarget('https://git.example.com/forge/team/setup/pulls/7/files', forges)).toMatchObject(
      {
        repository: 'team/setup',
        number: 7,
      },
    );
  });
});

function ask(type: Forge['type'], path: string, limit_ms = 30_000) {
  const forge: Forge = { type, url: server.url, token: 'secret' };
  const target = pullRequestTarget(`${server.url}${path}`, [forge]);
  if (typeof target === 'string') throw new Error(target);
  return readPullRequest(api, target, AbortSignal.timeout(limit_ms));
}
