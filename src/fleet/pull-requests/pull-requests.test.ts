import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { fixedFleet, NOW } from '../../../test/support/fleets/fixed-fleet.ts';
import { smallForge, type Respond, type SmallForge } from '../../../test/metadata/small-forge.ts';
import type { AgentRecord } from '../../backends/backend.ts';
import type { GitFacts } from '../../domain/agent.ts';
import type { Change } from '../../domain/changes.ts';
import type { Forge } from '../../forge/forge.ts';
import { ForgeStore } from '../../store/forge-store.ts';
import { PullRequestStore } from '../../store/pull-request-store.ts';
import { Store } from '../../store/store.ts';
import { PullRequests } from './pull-requests.ts';

const API = '/api/v1/repos/team/site';
const SEARCH = `${API}/pulls?state=all&sort=recentupdate&limit=50`;
const SHA = '1f2e3d4c5b6a79880123456789abcdef01234567';
const HEAD = { ref: 'topic', sha: SHA, repo: { full_name: 'team/site' } };

let forge: SmallForge;
let home: string;
let store: Store;
let records: PullRequestStore;
let forges: readonly Forge[];
let elapsed: number;
let told: Change[];
let pullRequests: PullRequests;

beforeEach(async () => {
  forge = await smallForge();
  home = mkdtempSync(join(tmpdir(), 'fleet-pulls-'));
  store = new Store(home);
  records = new PullRequestStore(store);
  forges = [{ type: 'gitea', url: forge.url, token: null }];
  elapsed = 0;
  told = [];
  pullRequests = new PullRequests({
    records,
    memory: new ForgeStore(store),
    clock: { now: () => ({ ...NOW, at: NOW.at + elapsed }) },
    forges: async () => forges,
    tell: (_, change) => void told.push(change),
  });
});
afterEach(async () => {
  store[Symbol.dispose]();
  rmSync(home, { recursive: true, force: true });
  await forge[Symbol.asyncDispose]();
});

describe('the pull request that an agent names', () => {
  it('is read and remembered, and a change of it is published', async () => {
    const agent = naming(7);
    says(7, { state: 'open' });
    await pullRequests.refresh(agent);
    expect(pullRequests.known([agent])).toMatchObject([
      { pull_request: { status: 'open', check_status: 'none', error: null } },
    ]);
    expect(told).toMatchObject([
      {
        at: '2026-11-01T10:01:00.000Z',
        kind: 'metadata',
        data: { pull_request: { status: 'open', check_status: 'none' } },
      },
    ]);

    elapsed = 5_000;
    await pullRequests.refresh(agent);
    expect(told).toHaveLength(1);
    expect(records.get(url(7))).toMatchObject({
      fetched_at: NOW.at + 5_000,
      changed_at: '2026-11-01T10:01:00.000Z',
    });

    elapsed = 10_000;
    says(7, { state: 'closed', merged: true });
    await pullRequests.refresh(agent);
    expect(told[1]).toMatchObject({ data: { pull_request: { status: 'merged' } } });
    expect(records.get(url(7))?.changed_at).toBe('2026-11-01T10:01:10.000Z');
  });

  it('is published again when its checks change, and when it can no longer be read', async () => {
    says(7, { state: 'open' });
    await pullRequests.refresh(naming(7));
    elapsed = 10_000;
    forge.answers.set(`${API}/commits/${SHA}/status`, { state: 'failure', total_count: 1 });
    await pullRequests.refresh(naming(7));
    expect(told[1]).toMatchObject({ data: { pull_request: { status: 'open', check_status: 'failing' } } });
    elapsed = 20_000;
    forge.answers.delete(`${API}/pulls/7`);
    await pullRequests.refresh(naming(7));
    elapsed = 30_000;
    const forbids: Respond = (_, response) => void response.writeHead(403).end('{}');
    forge.answers.set(`${API}/pulls/7`, forbids);
    await pullRequests.refresh(naming(7));
    expect(told).toHaveLength(4);
  });

  it('is not asked for again within five seconds', async () => {
    says(7, { state: 'open' });
    await pullRequests.refresh(naming(7));
    const asked = forge.asked.length;
    elapsed = 4_999;
    await pullRequests.refresh(naming(7));
    expect(forge.asked).toHaveLength(asked);
    elapsed = 5_000;
    await pullRequests.refresh(naming(7));
    expect(forge.asked.length).toBeGreaterThan(asked);
  });

  it('that cannot be read has an error; one of an unknown host is not told', async () => {
    await pullRequests.refresh(naming(7));
    expect(records.get(url(7))).toMatchObject({
      status: null,
      error: expect.stringContaining('404'),
      asked: true,
    });
    expect(told).toHaveLength(1);
    forges = [];
    await pullRequests.refresh(naming(8));
    expect(records.get(url(8))).toMatchObject({ status: null, asked: false });
    expect(told).toHaveLength(1);
    expect(forge.asked.map(({ path }) => path)).toEqual([`${API}/pulls/7`]);
  });

  it('never fails a look', async () => {
    const print = vi.spyOn(console, 'error').mockImplementation(() => {});
    const failing = new PullRequests({
      records,
      memory: new ForgeStore(store),
      clock: { now: () => NOW },
      forges: async () => {
        throw new Error('no configuration');
      },
      tell: () => {},
    });
    await failing.refresh(naming(7));
    expect(print.mock.calls).toEqual([['fleet: no configuration']]);
    print.mockRestore();
  });
});

describe('the pull request of a branch', () => {
  it('is found at the forge, and stays known', async () => {
    const agent = pushing();
    forge.answers.set(SEARCH, [{ number: 12, state: 'open', created_at: agent.created_at, head: HEAD }]);
    says(12, { state: 'open', draft: true });
    await pullRequests.refresh(agent);
    expect(records.search(agent.workspace_id)).toEqual({
      workspace_id: agent.workspace_id,
      branch: 'topic',
      url: url(12),
      searched_at: NOW.at,
    });
    expect(pullRequests.known([agent])).toMatchObject([{ pull_request: { url: url(12), status: 'draft' } }]);
    elapsed = 10_000;
    await pullRequests.refresh(agent);
    expect(searches()).toBe(1);
  });

  it('is looked for again when it is settled, when the branch is another one, and after a while', async () => {
    const agent = pushing();
    forge.answers.set(SEARCH, []);
    await pullRequests.refresh(agent);
    expect(records.search(agent.workspace_id)?.url).toBeNull();
    elapsed = 4_999;
    await pullRequests.refresh(agent);
    expect(searches()).toBe(1);
    await pullRequests.refresh({ ...agent, git: { ...(agent.git as GitFacts), branch: 'other' } });
    expect(searches()).toBe(2);
    elapsed = 10_000;
    forge.answers.set(SEARCH, [{ number: 12, state: 'closed', created_at: agent.created_at, head: HEAD }]);
    says(12, { state: 'closed', merged: true });
    await pullRequests.refresh(agent);
    expect(records.search(agent.workspace_id)?.url).toBe(url(12));
    elapsed = 20_000;
    forge.answers.delete(SEARCH);
    await pullRequests.refresh(agent);
    expect(searches()).toBe(4);
    expect(records.search(agent.workspace_id)?.searched_at).toBe(NOW.at + 20_000);
    expect(records.search(agent.workspace_id)?.url).toBe(url(12));
  });

  it.each<[string, Partial<GitFacts> | null]>([
    ['no repository', null],
    ['no branch', { branch: null }],
    ['nothing to push', { ahead: 0 }],
  ])('is not looked for with %s', async (_, git) => {
    const agent = pushing();
    const facts = git === null ? null : { ...(agent.git as GitFacts), ...git };
    await pullRequests.refresh({ ...agent, git: facts });
    const { remote: _remote, ...local } = agent.git as GitFacts;
    await pullRequests.refresh({ ...agent, git: local });
    expect(forge.asked).toEqual([]);
    forges = [];
    await pullRequests.refresh(agent);
    expect(forge.asked).toEqual([]);
  });

  it('that was found is still read when there is nothing more to push', async () => {
    const agent = pushing();
    records.putSearch({ workspace_id: agent.workspace_id, branch: 'topic', url: url(12), searched_at: 0 });
    says(12, { state: 'open' });
    await pullRequests.refresh({ ...agent, git: null });
    expect(searches()).toBe(0);
    expect(records.get(url(12))?.status).toBe('open');
  });
});

describe('a server', () => {
  it('asks for all agents, and forgets what no agent has', async () => {
    records.putSearch({ workspace_id: 'gone', branch: 'topic', url: url(99), searched_at: 0 });
    says(7, { state: 'open' });
    says(8, { state: 'open' });
    await pullRequests.refresh(naming(99));
    await pullRequests.keep([naming(7), naming(8)], new AbortController().signal);
    expect([...records.all().keys()].toSorted()).toEqual([url(7), url(8)]);
    expect(records.searches().size).toBe(0);
  });

  it.each([
    ['open', {}, 54_999, false],
    ['open', {}, 55_000, true],
    ['merged', { merged: true, state: 'closed' }, 599_999, false],
    ['merged', { merged: true, state: 'closed' }, 600_000, true],
    ['closed', { state: 'closed' }, 599_999, false],
  ])(
    'asks for a pull request that is %s and old again at its pace: %o %d',
    async (_, says7, after, again) => {
      const agent = naming(7, '2026-11-01T09:00:00.000Z');
      says(7, { state: 'open', ...says7 });
      await pullRequests.keep([agent], new AbortController().signal);
      const asked = forge.asked.length;
      elapsed = after;
      await pullRequests.keep([agent], new AbortController().signal);
      expect(forge.asked.length > asked).toBe(again);
    },
  );

  it('stops when it is asked to', async () => {
    await pullRequests.keep([naming(7)], AbortSignal.abort());
    expect(forge.asked).toEqual([]);
  });
});

it('agents without pull requests are given as they are', () => {
  const agents = [pushing()];
  expect(pullRequests.known(agents)).toBe(agents);
  const [named, without] = pullRequests.known([naming(7), ...agents]);
  expect(named?.pull_request?.url).toBe(url(7));
  expect(without).toBe(agents[0]);
});

function url(number: number): string {
  return `${forge.url}/team/site/pulls/${number}`;
}

function says(number: number, pull: object): void {
  forge.answers.set(`${API}/pulls/${number}`, { draft: false, merged: false, head: HEAD, ...pull });
  forge.answers.set(`${API}/commits/${SHA}/status`, { state: 'pending', total_count: 0 });
}

function searches(): number {
  return forge.asked.filter(({ path }) => path === SEARCH).length;
}

function naming(number: number, updated_at = '2026-11-01T10:00:00.000Z'): AgentRecord {
  const agent = fixedFleet().backend.addAgent(`agent-${number}`, { updated_at });
  const pull_request = { url: url(number), status: null, check_status: null, error: null };
  return { ...agent, pull_request };
}

function pushing(): AgentRecord {
  const git = { branch: 'topic', ahead: 1, remote: `${forge.url}/team/site` } as GitFacts;
  return { ...fixedFleet().backend.addAgent('pusher'), git };
}
