import { afterEach, beforeEach, expect, it } from 'vitest';
import { forgeMemory } from '../../../test/metadata/forge-memory.ts';
import { smallForge, type Respond, type SmallForge } from '../../../test/metadata/small-forge.ts';
import type { Forge } from '../forge.ts';
import { ForgeApi } from '../forge-api.ts';
import { readFeedback } from './read-feedback.ts';

let server: SmallForge;
let elsewhere: SmallForge;
beforeEach(async () => {
  [server, elsewhere] = await Promise.all([smallForge(), smallForge()]);
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await elsewhere[Symbol.asyncDispose]();
});

const SHA = '1f2e3d4c5b6a79880123456789abcdef01234567';
const text =
  (status: number, body: string, headers: Record<string, string> = {}): Respond =>
  (_, response) =>
    void response.writeHead(status, headers).end(body);

function read(type: Forge['type']) {
  const forge: Forge = { type, url: server.url, token: 'secret' };
  const target = { forge, repository: 'team/setup', number: 7 };
  return readFeedback(new ForgeApi(forgeMemory()), target, AbortSignal.timeout(60_000));
}

// The shapes of GitHub and GitLab are those of their public API documentation.
it('reads failed checks of GitHub with the end of their logs, and unresolved comments of those who may write', async () => {
  const base = '/api/v3/repos/team/setup';
  const log = `${'early\n'.repeat(10_000)}2026-01-01T00:00:00.0000000Z \u001B[31mlate\u001B[0m\n`;
  elsewhere.answers.set('/blob', text(200, log));
  const run = { status: 'completed', conclusion: 'failure', html_url: `${server.url}/run` };
  const comment = (databaseId: number, login: string, __typename = 'User') => ({
    databaseId,
    author: { login, __typename },
    path: 'a.ts',
    line: 3,
    body: `by ${login}`,
  });
  const thread = (isResolved: boolean, ...nodes: object[]) => ({ isResolved, comments: { nodes } });
  server.answers
    .set(`${base}/pulls/7`, { head: { sha: SHA } })
    .set(`${base}/commits/${SHA}/status`, {
      statuses: [
        { context: 'deploy', state: 'error', description: 'no room', target_url: null },
        { context: 'docs', state: 'success' },
      ],
    })
    .set(`${base}/commits/${SHA}/check-runs?per_page=100&page=1`, {
      total_count: 4,
      check_runs: [
        { ...run, id: 11, name: 'tests', app: { slug: 'github-actions' } },
        {
          ...run,
          id: 12,
          name: 'scan',
          app: { slug: 'scanner' },
          output: { title: 'Found', summary: 'a hole' },
        },
        { ...run, id: 13, name: 'good', conclusion: 'success' },
        { ...run, id: 14, name: 'stopped', conclusion: 'cancelled' },
      ],
    })
    .set(`${base}/actions/jobs/11/logs`, text(302, '', { location: `${elsewhere.url}/blob` }))
    .set('/api/graphql', {
      data: {
        repository: {
          pullRequest: {
            reviewThreads: {
              nodes: [
                thread(false, comment(1, 'ada'), comment(2, 'eve'), comment(3, 'robot', 'Bot')),
                thread(true, comment(4, 'ada')),
              ],
            },
          },
        },
      },
    })
    .set(`${base}/collaborators/ada/permission`, { permission: 'write' })
    .set(`${base}/collaborators/eve/permission`, { permission: 'read' });
  const { failed, ...rest } = await read('github');
  expect(rest).toEqual({
    commit: SHA,
    pending: false,
    remarks: [{ id: '1', author: 'ada', path: 'a.ts', line: 3, text: 'by ada' }],
  });
  expect(failed).toMatchObject([
    { name: 'tests', url: `${server.url}/run` },
    { name: 'scan', output: 'Found\na hole' },
    { name: 'deploy', url: null, output: 'no room' },
  ]);
  expect(failed[0]?.output).toMatch(/early\nlate\n$/);
  expect(failed[0]?.output.length).toBeLessThan(20_000);
  server.answers.set('/api/graphql', text(403, '{}'));
  expect(await read('github')).toMatchObject({ failed: [{ name: 'tests' }, {}, {}], remarks: [] });
  // The host of the log gets no token.
  expect(elsewhere.asked.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
});

it('reads failed jobs of GitLab with the end of their traces, and unresolved notes of members who may push', async () => {
  const base = '/api/v4/projects/team%2Fsetup';
  const note = (id: number, author: number, more: object = {}) => ({
    id,
    author: { id: author, username: `user${author}` },
    body: `note ${id}`,
    system: false,
    resolvable: true,
    resolved: false,
    ...more,
  });
  const job = { status: 'failed', allow_failure: false, web_url: null };
  server.answers
    .set(`${base}/merge_requests/7`, { sha: SHA, head_pipeline: { id: 5, status: 'failed' } })
    .set(`${base}/pipelines/5/jobs?per_page=100`, [
      { ...job, id: 51, name: 'tests' },
      { ...job, id: 52, name: 'optional', allow_failure: true },
      { ...job, id: 53, name: 'good', status: 'success' },
    ])
    .set(`${base}/jobs/51/trace`, text(200, 'it broke'))
    .set(`${base}/merge_requests/7/discussions?per_page=100&page=1`, [
      { notes: [note(1, 9, { position: { new_path: 'a.ts', new_line: 4 } }), note(2, 8)] },
      { notes: [note(3, 9, { resolved: true }), note(4, 7), note(5, 9, { system: true })] },
      { notes: [note(6, 9, { resolvable: false })] },
    ])
    .set(`${base}/members/all/9`, { access_level: 30 })
    .set(`${base}/members/all/8`, { access_level: 20 });
  expect(await read('gitlab')).toEqual({
    commit: SHA,
    pending: false,
    failed: [{ name: 'tests', url: null, output: 'it broke' }],
    remarks: [{ id: '1', author: 'user9', path: 'a.ts', line: 4, text: 'note 1' }],
  });
});

it('has no output where the log is not to be had, and says what runs', async () => {
  const base = '/api/v4/projects/team%2Fsetup';
  server.answers
    .set(`${base}/merge_requests/7`, { sha: SHA, head_pipeline: { id: 5, status: 'failed' } })
    .set(`${base}/pipelines/5/jobs?per_page=100`, [{ id: 51, name: 'tests', status: 'failed' }])
    .set(`${base}/merge_requests/7/discussions?per_page=100&page=1`, []);
  expect((await read('gitlab')).failed).toEqual([{ name: 'tests', url: null, output: '' }]);
  server.answers.set(`${base}/merge_requests/7`, { sha: SHA, head_pipeline: { id: 5, status: 'running' } });
  expect(await read('gitlab')).toMatchObject({ pending: true, failed: [] });
});
