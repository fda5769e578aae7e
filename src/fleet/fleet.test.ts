import { describe, expect, it } from 'vitest';
import { fixedFleet, NOW, TESTER } from '../../test/support/fleets/fixed-fleet.ts';
import type { AgentRecord } from '../backends/backend.ts';
import type { KeptAgent } from '../domain/kept-agent.ts';
import { Fleet } from './fleet.ts';
import type { PullRequests } from './pull-requests/pull-requests.ts';

const PULL_REQUEST = {
  url: 'https://forge.test/team/site/pulls/7',
  status: 'open',
  check_status: null,
  error: null,
} as const;

describe('list_agents', () => {
  it('gives all agents in the order of their names, whatever their case', async () => {
    const { fleet, backend } = fixedFleet();
    for (const name of ['beta', 'Alpha', 'gamma']) backend.addAgent(name);
    const { agents, ...rest } = await fleet.listAgents({});
    expect(agents.map(({ name }) => name)).toEqual(['Alpha', 'beta', 'gamma']);
    expect(rest).toEqual({ total_count: 3 });
  });

  it('filters by status, project and pull request', async () => {
    const { fleet, backend } = fixedFleet();
    backend.addAgent('ready');
    backend.addAgent('stopped', { phase: 'stopped' });
    backend.agents.set('asked', {
      ...backend.addAgent('asked'),
      project: 'Site',
      pull_request: PULL_REQUEST,
    });
    const namesWith = async (filter: Parameters<Fleet['listAgents']>[0]) =>
      (await fleet.listAgents(filter)).agents.map(({ name }) => name);
    expect(await namesWith({ status_filter: 'stopped' })).toEqual(['stopped']);
    expect(await namesWith({ project_filter: 'site' })).toEqual(['asked']);
    expect(await namesWith({ project_filter: 'Sit' })).toEqual([]);
    expect(await namesWith({ pull_request_filter: 7 })).toEqual(['asked']);
    expect(await namesWith({ pull_request_filter: 'open' })).toEqual(['asked']);
    expect(await namesWith({ pull_request_filter: 8 })).toEqual([]);
  });

  it('gives one page when a page or its size is named, 20 agents by default', async () => {
    const { fleet, backend } = fixedFleet();
    for (let number = 10; number < 33; number++) backend.addAgent(`agent-${number}`);
    const page = async (filter: Parameters<Fleet['listAgents']>[0]) => {
      const { agents, total_count } = await fleet.listAgents(filter);
      return [agents.length, agents[0]?.name, total_count];
    };
    expect(await page({})).toEqual([23, 'agent-10', 23]);
    expect(await page({ page: 1 })).toEqual([20, 'agent-10', 23]);
    expect(await page({ page: 2 })).toEqual([3, 'agent-30', 23]);
    expect(await page({ page_size: 5 })).toEqual([5, 'agent-10', 23]);
    expect(await page({ page: 3, page_size: 5 })).toEqual([5, 'agent-20', 23]);
  });

  it('shows what forges say, and names a backend that does not answer', async () => {
    const { backend } = fixedFleet();
    const { backend: other } = fixedFleet({ name: 'other' });
    backend.addAgent('sony');
    other.failure = new Error('gone');
    const pullRequests = knownPullRequests();
    const fleet = new Fleet({ backends: [backend, other], clock: { now: () => NOW }, pullRequests });
    const { agents, unavailable } = await fleet.listAgents({});
    expect(agents[0]?.pull_request).toEqual(PULL_REQUEST);
    expect(unavailable).toEqual([{ backend: 'other', message: expect.any(String) }]);
  });
});

describe('show_agent', () => {
  it('refreshes the agent and asks its forge before it shows both', async () => {
    const calls: string[] = [];
    const pullRequests = knownPullRequests(calls);
    const refresh = async ({ name }: AgentRecord) => void calls.push(`backend ${name}`);
    const { fleet, backend } = fixedFleet({ refresh }, { pullRequests });
    backend.addAgent('sony');
    expect(await fleet.showAgent('SONY')).toMatchObject({
      name: 'sony',
      spec: 'the spec',
      pull_request: PULL_REQUEST,
    });
    expect(calls).toEqual(['backend sony', 'forge sony']);
  });

  it('needs no forge', async () => {
    const { fleet, backend } = fixedFleet();
    backend.addAgent('sony');
    expect(await fleet.showAgent('sony')).toMatchObject({ name: 'sony', pull_request: null });
  });
});

describe('projects and roles', () => {
  it('are those of the backend; a project is found in any case', async () => {
    const { fleet } = fixedFleet();
    expect((await fleet.listProjects()).map(({ name }) => name)).toEqual(['Setup', 'Site']);
    const { project, roles } = await fleet.listRoles('site');
    expect(project.name).toBe('Site');
    expect(roles.map(({ name }) => name)).toEqual(['coder', 'operator', 'writer']);
  });
});

describe('what is kept of deleted agents', () => {
  it('is listed newest first over all backends, with their problems', async () => {
    const { backend: silent } = fixedFleet();
    const { backend: one } = fixedFleet({
      kept: async () => ({ kept: [keptAgent('old', 1), keptAgent('new', 3)], problems: ['a problem'] }),
    });
    const { backend: two } = fixedFleet({
      kept: async () => ({ kept: [keptAgent('middle', 2)], problems: [] }),
    });
    const fleet = new Fleet({ backends: [silent, one, two], clock: { now: () => NOW } });
    const { kept, problems } = await fleet.listKept();
    expect(kept.map(({ agent_name }) => agent_name)).toEqual(['new', 'middle', 'old']);
    expect(problems).toEqual(['a problem']);
  });

  it('comes back from the backend that knows it, under a free name', async () => {
    const { backend: silent } = fixedFleet({ name: 'silent' });
    silent.addAgent('taken');
    const asked: unknown[] = [];
    const { backend } = fixedFleet({
      restore: async ({ workspace_id, name, by, checkFree }) => {
        asked.push({ workspace_id, name, by });
        if (workspace_id !== 'known') return undefined;
        await checkFree(name ?? 'sony');
        return backend.addAgent(name ?? 'sony', { phase: 'stopped' });
      },
    });
    const fleet = new Fleet({ backends: [silent, backend], clock: { now: () => NOW } });
    expect(await fleet.restoreAgent({ workspace_id: 'known' }, TESTER)).toMatchObject({
      name: 'sony',
      status: 'stopped',
    });
    expect(asked).toEqual([
      { workspace_id: 'known', name: undefined, by: { principal: 'user:tester', door: 'cli' } },
    ]);
    await expect(fleet.restoreAgent({ workspace_id: 'known', name: 'taken' }, TESTER)).rejects.toMatchObject({
      code: 'CONFLICT',
      details: { reason: 'name_taken' },
    });
    await expect(fleet.restoreAgent({ workspace_id: 'known', name: 'a b' }, TESTER)).rejects.toMatchObject({
      code: 'INVALID_INPUT',
      details: { field: 'name' },
    });
    await expect(fleet.restoreAgent({ workspace_id: 'other' }, TESTER)).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining('"other"'),
      details: { field: 'workspace_id' },
    });
  });
});

describe('wait_for_agents', () => {
  const rest = { signal: new AbortController().signal, progress: () => {} };

  it('is woken by a change, and answers with the cursor of its events', async () => {
    const { fleet, backend, events } = fixedFleet();
    backend.addAgent('sony');
    const changed = fleet.waitForAgents({ until: 'any_change' }, rest);
    setImmediate(() => backend.change('sony', { phase: 'stopped' }));
    expect(await changed).toMatchObject({
      agents: [{ name: 'sony', status: 'stopped' }],
      timed_out: false,
      cursor: events.latest(),
    });
    const later = await fleet.waitForAgents({ until: 'any_change', cursor: '0' }, rest);
    expect(later.agents).toHaveLength(1);
    const gone = await fleet.waitForAgents({ until: 'any_change', cursor: '99' }, rest);
    expect(gone.agents).toHaveLength(1);
  });

  it('works where there are no events', async () => {
    const { backend } = fixedFleet();
    backend.addAgent('sony');
    const fleet = new Fleet({ backends: [backend], clock: { now: () => NOW } });
    const request = { until: 'any_change', timeout_seconds: 0 } as const;
    expect(await fleet.waitForAgents(request, rest)).toMatchObject({ timed_out: true, cursor: '0' });
  });
});

describe('a fleet', () => {
  it('closes the backends that it used', async () => {
    const closed: string[] = [];
    const { fleet } = fixedFleet({ [Symbol.asyncDispose]: async () => void closed.push('tiny') });
    await fleet[Symbol.asyncDispose]();
    expect(closed).toEqual(['tiny']);
  });

  it('asks forges of all agents, where it has forges', async () => {
    const calls: string[] = [];
    const { fleet, backend } = fixedFleet({}, { pullRequests: knownPullRequests(calls) });
    backend.addAgent('sony');
    await fleet.keepPullRequests(new AbortController().signal);
    expect(calls).toEqual(['keep sony']);
    await fixedFleet().fleet.keepPullRequests(new AbortController().signal);
  });

  it('has an empty place unless it is given one', () => {
    expect(fixedFleet().fleet.place).toBe('');
    expect(fixedFleet({}, { place: '/home/fleet' }).fleet.place).toBe('/home/fleet');
  });
});

function keptAgent(agent_name: string, day: number): KeptAgent {
  const deleted_at = `2026-11-0${day}T10:00:00.000Z`;
  return { workspace_id: agent_name, agent_name, project: 'Setup', deleted_at, branch: null, bytes: null };
}

/** A forge that knows one pull request, which all agents have. */
function knownPullRequests(calls: string[] = []): PullRequests {
  const known = {
    known: (agents: readonly AgentRecord[]) =>
      agents.map((agent) => ({ ...agent, pull_request: PULL_REQUEST })),
    refresh: async ({ name }: AgentRecord) => void calls.push(`forge ${name}`),
    keep: async (agents: readonly AgentRecord[]) =>
      void calls.push(`keep ${agents.map(({ name }) => name).join()}`),
  };
  return known as unknown as PullRequests;
}
