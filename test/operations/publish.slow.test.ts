import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  agentOf,
  askAs,
  failure,
  history,
  idleAgent,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { forgeFor, type GitForge } from '../support/git-forge.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';

const AS = 'git -c user.name=A -c user.email=a@localhost';
const commit = (file: string, text: string): string =>
  `mkdir -p "$(dirname ${file})"; echo '${text}' > ${file}; git add .; ${AS} commit --quiet -m '${text}'; echo 'Done: ${text}'`;

const opened = new AsyncDisposableStack();
let fleet: LocalFleet;
let forge: GitForge;
let ask: Ask;

beforeAll(async () => {
  fleet = opened.use(localFleet());
  forge = opened.use(await forgeFor(fleet));
  ask = askAs(fleet.fleet);
  // A hook of the user that would be seen.
  const hook = join(fleet.repository, '.git', 'hooks', 'pre-push');
  writeFileSync(hook, `#!/bin/sh\ntouch ${join(fleet.directory, 'hook-ran')}\n`, { mode: 0o755 });
});
afterAll(() => opened.disposeAsync());

const configureForge = (forges: object): void =>
  fleet.configure((config) => {
    config['forges'] = forges;
  });
const git = (repository: string, ...args: string[]): string =>
  execFileSync('git', ['-C', repository, '-c', 'user.name=T', '-c', 'user.email=t@localhost', ...args], {
    encoding: 'utf8',
    stdio: 'pipe',
  }).trim();
const published = (name: string): string =>
  git(forge.repository, 'for-each-ref', '--format=%(objectname)', `refs/heads/fleet/${name}`);
const worker = (name: string, task: string) => idleAgent(ask, name, { role: 'shell', task });
const next = async (name: string, task: string): Promise<void> => {
  await ask('start_agent_task', { agent_name: name, task_description: task });
  await waitIdle(ask, name);
};
const publish = (agent_name: string, input: object = {}) => ask('publish_agent', { agent_name, ...input });

describe('publishing an agent', () => {
  it('pushes its branch, opens a pull request from its results, and updates the same one [OP-publish_agent]', async () => {
    await worker('sony', `${commit('one.txt', 'Add one')}; touch left.txt`);
    const answer = await publish('sony');
    expect(answer).toEqual({
      agent_name: 'sony',
      pushed: true,
      pull_request: {
        url: `${forge.url}/team/setup/pulls/1`,
        status: 'open',
        check_status: 'none',
        error: null,
      },
      message: `Pull request of agent 'sony' opened: ${forge.url}/team/setup/pulls/1 Uncommitted work was left out: left.txt.`,
    });
    expect(forge.pulls).toMatchObject([
      { title: 'Done: Add one', body: 'Done: Add one', base: { ref: 'main' }, head: { ref: 'fleet/sony' } },
    ]);
    expect(published('sony')).toBe(git(fleet.repository, 'rev-parse', 'fleet/sony'));
    expect((await agentOf(ask, 'sony')).pull_request).toEqual(answer['pull_request']);
    expect(await publish('sony')).toMatchObject({
      pushed: false,
      message: expect.stringContaining('already'),
    });
    // What a person wrote at the forge stays, unless a text is given.
    Object.assign(forge.pulls[0] ?? {}, { title: 'By hand' });
    await next('sony', commit('two.txt', 'Add two'));
    expect(await publish('sony', { body: 'New text' })).toMatchObject({ pushed: true });
    expect(forge.pulls).toMatchObject([{ title: 'By hand', body: 'New text' }]);
    expect(published('sony')).toBe(git(fleet.repository, 'rev-parse', 'fleet/sony'));
    expect(existsSync(join(fleet.directory, 'hook-ran'))).toBe(false);
  });

  it('replaces what it pushed itself, and never the commits of others [OP-publish_agent-lease]', async () => {
    await worker('papi', commit('one.txt', 'first try'));
    await publish('papi');
    await next('papi', `${AS} commit --quiet --amend -m 'second try'`);
    expect(await publish('papi')).toMatchObject({ pushed: true });
    const own = published('papi');
    expect(git(forge.repository, 'log', '-1', '--format=%s', own)).toBe('second try');
    // Somebody else pushes to the branch.
    const tree = git(forge.repository, 'rev-parse', `${own}^{tree}`);
    const theirs = git(forge.repository, 'commit-tree', tree, '-p', own, '-m', 'theirs');
    git(forge.repository, 'update-ref', 'refs/heads/fleet/papi', theirs);
    await next('papi', commit('two.txt', 'third try'));
    const refused = await failure(publish('papi'));
    expect(refused).toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'not_fast_forward', head: theirs },
    });
    expect(published('papi')).toBe(theirs);
  });

  it('refuses changed workflows until they are allowed [OP-publish_agent-workflows]', async () => {
    await worker('wolf', commit('.github/workflows/ci.yml', 'on: push'));
    const before = forge.asked.length;
    expect(await failure(publish('wolf'))).toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'workflows_changed', paths: ['.github/workflows/ci.yml'] },
    });
    expect(published('wolf')).toBe('');
    expect(forge.asked.slice(before).filter((each) => each.startsWith('POST'))).toEqual([]);
    expect(await publish('wolf', { allow_workflows: true })).toMatchObject({ pushed: true });
  });

  it('uses the login of the user when the forge takes the token for its API alone', async () => {
    forge.takes.git = ['own'];
    git(fleet.repository, 'config', 'credential.helper', '!f() { echo username=me; echo password=own; }; f');
    await worker('mine', commit('one.txt', 'Mine'));
    expect(await publish('mine')).toMatchObject({ pushed: true });
    git(fleet.repository, 'config', '--unset', 'credential.helper');
    forge.takes.git = [forge.token];
  });

  it('replaces what a publication pushed that was killed before it could note that', async () => {
    const { workspace_id } = await worker('dead', commit('one.txt', 'Killed'));
    await publish('dead');
    const [own = ''] = readdirSync(join(fleet.home, 'repositories'));
    const repository = join(fleet.home, 'repositories', own);
    const refs = `refs/agents/${workspace_id}`;
    git(repository, 'update-ref', `${refs}/pushing`, `${refs}/pushed`);
    git(repository, 'update-ref', '-d', `${refs}/pushed`);
    await next('dead', `${AS} commit --quiet --amend -m 'Rewritten'`);
    expect(await publish('dead')).toMatchObject({ pushed: true });
  });

  it('finishes what was interrupted after the push', async () => {
    await worker('halt', commit('one.txt', 'Interrupted'));
    const post = 'POST /api/v1/repos/team/setup/pulls';
    forge.answers.set(post, { status: 500, body: { message: 'broken' } });
    const failed = await failure(publish('halt'));
    expect(failed).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'forge_unavailable', pushed: true },
    });
    expect(failed.message).toContain('fleet/halt was pushed');
    forge.answers.delete(post);
    await next('halt', `${AS} commit --quiet --amend -m 'Rewritten since'`);
    expect(await publish('halt', { title: 'T', draft: true })).toMatchObject({
      pushed: true,
      pull_request: { status: 'draft' },
    });
    expect(forge.pulls.at(-1)).toMatchObject({ title: 'WIP: T' });
  });
});

describe('publishing is refused', () => {
  it('with a reason that says what to do, and changes nothing [OP-publish_agent-refuses]', async () => {
    await worker('none', 'true');
    expect((await failure(publish('none'))).details).toMatchObject({ reason: 'nothing_to_publish' });
    await worker('busy', commit('busy.txt', 'Busy'));
    await ask('start_agent_task', { agent_name: 'busy', task_description: 'sleep 1962' });
    expect((await failure(publish('busy'))).details).toMatchObject({ reason: 'busy' });
    await ask('cancel_agent_task', { agent_name: 'busy' });
    await waitIdle(ask, 'busy');
    forge.takes.api = false;
    const token = await failure(publish('busy'));
    expect(token).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'forge_not_allowed' } });
    forge.takes.api = true;
    forge.takes.git = ['of somebody else'];
    const login = await failure(publish('busy'));
    expect(login).toMatchObject({ code: 'FORBIDDEN', details: { reason: 'push_not_allowed' } });
    forge.takes.git = [forge.token];
    for (const { message } of [token, login]) expect(message).not.toContain(forge.token);
    expect(published('busy')).toBe('');
    const hook = join(forge.repository, 'hooks', 'pre-receive');
    writeFileSync(hook, '#!/bin/sh\necho "Not allowed to push to protected branch fleet/busy"; exit 1\n', {
      mode: 0o755,
    });
    expect(await failure(publish('busy'))).toMatchObject({
      code: 'CONFLICT',
      message: expect.stringContaining('Not allowed to push to protected branch'),
      details: { reason: 'protected' },
    });
    writeFileSync(hook, '#!/bin/sh\nexit 0\n');
    const local = { type: 'gitea', url: forge.url };
    configureForge({ local: { ...local, token_env: 'NO_SUCH_TOKEN' } });
    expect((await failure(publish('busy'))).details).toMatchObject({ reason: 'no_token' });
    configureForge({});
    expect((await failure(publish('busy'))).details).toMatchObject({ reason: 'no_forge' });
    configureForge({ local: { ...local, token_env: 'SOME_FORGE_TOKEN' } });
    await idleAgent(ask, 'lone', { project: 'DataOne', role: 'shell', task: commit('a', 'A') });
    expect((await failure(publish('lone'))).details).toMatchObject({ reason: 'no_remote' });
    expect(published('busy')).toBe('');
    expect(await publish('busy')).toMatchObject({ pushed: true });
  });
});

describe('fleet publish', () => {
  it('prints the pull request, and neither its output nor an argument of git has the token [OP-publish_agent-token]', async () => {
    await worker('cli', commit('cli.txt', 'By command'));
    const seen = join(fleet.directory, 'arguments');
    const programs = join(fleet.directory, 'programs');
    mkdirSync(programs);
    const real = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim();
    const spy = `#!/bin/sh\nprintf '%s\\n' "$*" >> ${seen}\nexec ${real} "$@"\n`;
    writeFileSync(join(programs, 'git'), spy, { mode: 0o755 });
    const env = { ...fleet.env, PATH: `${programs}:${process.env['PATH']}` };
    const first = await runFleet(['publish', 'cli', '--title', 'From the shell', '--json'], { env });
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(first.stdout)).toMatchObject({ agent_name: 'cli', pushed: true });
    const again = await runFleet(['publish', 'cli'], { env });
    expect(again.stdout).toContain("Pull request of agent 'cli' has the newest commits already");
    const given = readFileSync(seen, 'utf8');
    expect(given).toContain('--force-with-lease=refs/heads/fleet/cli:');
    expect(first.stdout + again.stdout + given).not.toContain(forge.token);
  });

  it('is not for agents', async () => {
    await worker('inner', commit('inner.txt', 'Inner'));
    await next('inner', 'fleet publish inner; fleet call publish_agent \'{"agent_name": "inner"}\'; true');
    expect((await agentOf(ask, 'inner')).last_result).toContain('FORBIDDEN');
    expect(published('inner')).toBe('');
  });
});

describe('a project with ci_feedback', () => {
  const status = (sha: string, ...failing: string[]) =>
    forge.answers.set(`/api/v1/repos/team/setup/commits/${sha}/status`, {
      status: 200,
      body: {
        state: failing.length === 0 ? 'success' : 'failure',
        total_count: 1,
        statuses:
          failing.length === 0
            ? [{ context: 'tests', status: 'success' }]
            : failing.map((context) => ({ context, status: 'failure', description: `${context} broke` })),
      },
    });
  const reviews = (number: number, comments: readonly object[]): void => {
    const of = `/api/v1/repos/team/setup/pulls/${number}/reviews`;
    forge.answers.set(`${of}?limit=50&page=1`, {
      status: 200,
      body: [{ id: 1, comments_count: comments.length }],
    });
    forge.answers.set(`${of}/1/comments`, { status: 200, body: comments });
  };
  const remark = (id: number, login: string) => ({
    id,
    user: { login },
    body: `remark ${id}`,
    path: 'fed.txt',
    position: 1,
    resolver: null,
  });
  const round = async (): Promise<void> => {
    await fleet.fleet.keepPullRequests(new AbortController().signal);
    await waitIdle(ask, 'fed');
  };
  const tasks = async () => (await history(ask, 'fed')).filter(({ kind }) => kind !== 'report').length;

  it('gives failures and remarks of writers to the agent once, and after three tries asks a person [OP-ci_feedback]', async () => {
    fleet.configure((config) => {
      Object.assign(config.projects['Setup'] ?? {}, { ci_feedback: true });
    });
    forge.answers.set('/api/v1/repos/team/setup/collaborators/ada/permission', {
      status: 200,
      body: { permission: 'write' },
    });
    forge.answers.set('/api/v1/repos/team/setup/collaborators/eve/permission', {
      status: 200,
      body: { permission: 'read' },
    });
    // It does nothing about what it is told.
    await worker('fed', commit('fed.txt', 'Fed'));
    await publish('fed');
    const number = forge.pulls.length;
    reviews(number, []);
    status(published('fed'), 'tests');
    await round();
    await round();
    expect(await tasks()).toBe(2);
    const [given] = await history(ask, 'fed');
    expect(given?.['message']).toContain('tests broke');
    reviews(number, [remark(1, 'ada'), remark(2, 'eve')]);
    await round();
    await round();
    const [remarked] = await history(ask, 'fed');
    expect(remarked?.['message']).toContain('ada on fed.txt:1:\nremark 1');
    expect(remarked?.['message']).not.toContain('remark 2');
    expect(await tasks()).toBe(3);
    for (const text of ['Two', 'Three', 'Four', 'Five']) {
      await next('fed', commit('fed.txt', text));
      await publish('fed');
      status(published('fed'), 'tests');
      await round();
    }
    expect(await agentOf(ask, 'fed')).toMatchObject({
      needs_attention: true,
      attention_reason: expect.stringContaining('still fails after 3 tries: tests'),
    });
    const before = await tasks();
    // Another process, as after a restart, repeats nothing.
    await using other = openFleet({ env: fleet.env, cwd: fleet.directory });
    await other.fleet.keepPullRequests(new AbortController().signal);
    await waitIdle(ask, 'fed');
    expect(await tasks()).toBe(before);
  });

  it('reads nothing of a pull request of another repository, whatever address an agent sets', async () => {
    const other = '/api/v1/repos/other/secret';
    const pull = { number: 1, state: 'open', title: 'x', head: { sha: 'a'.repeat(40), ref: 'x' } };
    forge.answers.set(`${other}/pulls/1`, { status: 200, body: pull });
    await worker('liar', commit('liar.txt', 'Liar'));
    await ask('set_agent_metadata', {
      agent_name: 'liar',
      key: 'fleet_mcp_pull_request_url',
      value: `${forge.url}/other/secret/pulls/1`,
    });
    expect((await agentOf(ask, 'liar')).pull_request?.status).toBe('open');
    await fleet.fleet.keepPullRequests(new AbortController().signal);
    expect(forge.asked.filter((each) => each.includes(`${other}/pulls/1/reviews`))).toEqual([]);
    await waitIdle(ask, 'liar');
    expect(await history(ask, 'liar')).toHaveLength(1);
  });
});
