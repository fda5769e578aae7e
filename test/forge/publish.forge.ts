import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  askAs,
  failure,
  history,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { git } from '../seeds/on-this-machine.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { builtGitea } from './forge-cache.ts';
import { forgeFleet } from './forge-fleet.ts';
import { startGitea, type Gitea } from './gitea.ts';

const missing = builtGitea() === undefined;
const why = missing ? ' (skipped: Gitea could not be built here)' : '';
const AS = 'git -c user.name=A -c user.email=a@localhost';
const commit = (file: string, text: string): string =>
  `mkdir -p "$(dirname ${file})"; echo '${text}' > ${file}; git add .; ${AS} commit --quiet -m '${text}'; echo '${text}'`;

describe.skipIf(missing)(`publishing to a real forge${why}`, () => {
  const opened = new AsyncDisposableStack();
  let gitea: Gitea;
  let fleet: LocalFleet;
  let ask: Ask;
  let repository: string;

  beforeAll(async () => {
    gitea = opened.use(await startGitea());
    fleet = opened.use(await forgeFleet(gitea));
    ask = askAs(fleet.fleet);
    repository = `/repos/${gitea.user}/setup`;
    // Without a login in it: the token of the forge has to do.
    git(fleet.repository, 'remote', 'set-url', 'origin', `${gitea.url}/${gitea.user}/setup.git`);
    await gitea.call('POST', '/admin/users', {
      username: 'ada',
      email: 'ada@localhost.example',
      password: 'Some-Password-1',
      must_change_password: false,
    });
    await gitea.call('PUT', `${repository}/collaborators/ada`, { permission: 'write' });
    await gitea.call('POST', `${repository}/labels`, { name: 'bug', color: '#ff0000' });
  });
  afterAll(() => opened.disposeAsync());

  const publish = (agent_name: string, input: object = {}) => ask('publish_agent', { agent_name, ...input });
  const next = async (agent_name: string, task_description: string): Promise<void> => {
    await ask('start_agent_task', { agent_name, task_description });
    await waitIdle(ask, agent_name);
  };
  const pull = (number: number) => gitea.call('GET', `${repository}/pulls/${number}`);
  const branch = async (name: string) =>
    (await gitea.call('GET', `${repository}/branches/${encodeURIComponent(`fleet/${name}`)}`))['commit'];

  it('opens a pull request with reviewers and labels, and updates the same one, also after a rewrite', async () => {
    await idleAgent(ask, 'sony', { role: 'shell', task: commit('one.txt', 'Add one') });
    const answer = await publish('sony', { reviewers: ['ada'], labels: ['bug'] });
    expect(answer).toMatchObject({
      pushed: true,
      pull_request: { url: `${gitea.url}/${gitea.user}/setup/pulls/1`, status: 'open', error: null },
    });
    expect(answer['message']).not.toContain('not ');
    expect(await pull(1)).toMatchObject({
      title: 'Add one',
      body: 'Add one',
      base: { ref: 'main' },
      head: { ref: 'fleet/sony', sha: git(fleet.repository, 'rev-parse', 'fleet/sony') },
      requested_reviewers: [{ login: 'ada' }],
      labels: [{ name: 'bug' }],
    });
    await next('sony', `${AS} commit --quiet --amend -m 'Rewritten'`);
    expect(await publish('sony', { title: 'Another title' })).toMatchObject({ pushed: true });
    const tip = git(fleet.repository, 'rev-parse', 'fleet/sony');
    const changed = await until(
      () => pull(1),
      ({ head }) => (head as { sha: string }).sha === tip,
    );
    expect(changed).toMatchObject({ title: 'Another title', body: 'Add one' });
    expect((await agentOf(ask, 'sony')).pull_request?.url).toBe(`${gitea.url}/${gitea.user}/setup/pulls/1`);
  });

  it('opens a draft, which stays one, and says which reviewers and labels there are not', async () => {
    await idleAgent(ask, 'drafter', { role: 'shell', task: commit('two.txt', 'Not yet') });
    const answer = await publish('drafter', { draft: true, reviewers: ['nobody'], labels: ['no-such'] });
    expect(answer).toMatchObject({ pull_request: { status: 'draft' } });
    expect(answer['message']).toContain('The reviewers were not asked');
    expect(answer['message']).toContain('has no label no-such');
    expect(await publish('drafter', { title: 'Soon' })).toMatchObject({
      pushed: false,
      pull_request: { status: 'draft' },
    });
  });

  it('opens another one after the first was closed', async () => {
    await idleAgent(ask, 'again', { role: 'shell', task: commit('three.txt', 'Once') });
    const first = await publish('again');
    const url = (first['pull_request'] as { url: string }).url;
    await gitea.call('PATCH', `${repository}/pulls/${url.split('/').at(-1)}`, { state: 'closed' });
    const second = await publish('again');
    expect(second).toMatchObject({ pushed: false, pull_request: { status: 'open' } });
    expect((second['pull_request'] as { url: string }).url).not.toBe(url);
  });

  it('is refused by a protected branch, by commits of others, and by a token that is revoked', async () => {
    await gitea.call('POST', `${repository}/branch_protections`, {
      rule_name: 'fleet/guarded',
      enable_push: false,
    });
    await idleAgent(ask, 'guarded', { role: 'shell', task: commit('four.txt', 'Guarded') });
    const refused = await failure(publish('guarded'));
    expect(refused).toMatchObject({ code: 'CONFLICT', details: { reason: 'protected' } });
    await idleAgent(ask, 'shared', { role: 'shell', task: commit('five.txt', 'Shared') });
    await publish('shared');
    await gitea.call('POST', `${repository}/contents/theirs.txt`, {
      content: 'eA==',
      branch: 'fleet/shared',
      message: 'theirs',
    });
    const theirs = await branch('shared');
    await next('shared', commit('six.txt', 'Mine'));
    expect((await failure(publish('shared'))).details).toMatchObject({ reason: 'not_fast_forward' });
    expect(await branch('shared')).toEqual(theirs);
    await idleAgent(ask, 'late', { role: 'shell', task: commit('seven.txt', 'Late') });
    Object.assign(fleet.env, { SOME_FORGE_TOKEN: 'f'.repeat(40) });
    const error = await failure(publish('late'));
    expect(error).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'push_not_allowed' } });
    Object.assign(fleet.env, { SOME_FORGE_TOKEN: gitea.token });
    expect(await publish('late')).toMatchObject({ pushed: true });
  });

  it('brings failing checks and comments of a review back to the agent, once', async () => {
    fleet.configure((config) => {
      Object.assign(config.projects['Setup'] ?? {}, { ci_feedback: true });
    });
    await idleAgent(ask, 'fed', { role: 'shell', task: commit('fed.txt', 'Fed') });
    const { url } = (await publish('fed'))['pull_request'] as { url: string };
    const number = Number(url.split('/').at(-1));
    const { head } = (await pull(number)) as { head: { sha: string } };
    const check = { state: 'failure', context: 'ci/tests', description: 'two tests failed' };
    await gitea.call('POST', `${repository}/statuses/${head.sha}`, check);
    await gitea.call('POST', `${repository}/pulls/${number}/reviews`, {
      event: 'COMMENT',
      body: 'Nearly there',
      comments: [{ path: 'fed.txt', body: 'Use another word', new_position: 1 }],
    });
    for (let times = 0; times < 2; times++) {
      await fleet.fleet.keepPullRequests(new AbortController().signal);
      await waitIdle(ask, 'fed');
    }
    const [task, ...earlier] = await history(ask, 'fed');
    expect(earlier).toHaveLength(1);
    expect(task?.['message']).toContain('Continuous integration fails: ci/tests');
    expect(task?.['message']).toContain('two tests failed');
    expect(task?.['message']).toContain(`${gitea.user} on fed.txt:1:\nUse another word`);
  });
});
