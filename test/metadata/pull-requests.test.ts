import { afterAll, beforeAll, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  idleAgent,
  until,
  waitIdle,
  type Ask,
} from '../support/fleet-under-test.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { script } from '../support/script.ts';
import { smallForge, type SmallForge } from './small-forge.ts';

const SHA = '1f2e3d4c5b6a79880123456789abcdef01234567';
const PULL = '/api/v1/repos/team/setup/pulls/7';
const CHECKS = `/api/v1/repos/team/setup/commits/${SHA}/status`;

let forge: SmallForge;
let stranger: SmallForge;
let fleet: LocalFleet;
let ask: Ask;

beforeAll(async () => {
  forge = await smallForge();
  stranger = await smallForge();
  fleet = localFleet((config) => {
    config['forges'] = { local: { type: 'gitea', url: forge.url, token_env: 'SOME_FORGE_TOKEN' } };
  });
  ask = askAs(fleet.fleet);
  says({}, { state: 'pending', total_count: 1 });
  await idleAgent(ask, 'sony', { pull_request_url: `${forge.url}/team/setup/pulls/7` });
});
afterAll(async () => {
  await fleet[Symbol.asyncDispose]();
  await forge[Symbol.asyncDispose]();
  await stranger[Symbol.asyncDispose]();
});

it('follows the pull request at its forge, and its checks [US3-2, US3-3, AGENT-pull-request-values]', async () => {
  for (const [pull, checks, status, check_status] of [
    [{ draft: true }, { state: 'pending', total_count: 0 }, 'draft', 'none'],
    [{}, { state: 'pending', total_count: 1 }, 'open', 'pending'],
    [{}, { state: 'failure', total_count: 1 }, 'open', 'failing'],
    [{}, { state: 'success', total_count: 1 }, 'open', 'passing'],
    [{ state: 'closed' }, { state: 'success', total_count: 1 }, 'closed', 'passing'],
    [{ state: 'closed', merged: true }, { state: 'success', total_count: 1 }, 'merged', 'passing'],
  ] as const) {
    says(pull, checks);
    const agent = await sonyWhen(
      ({ pull_request }) => pull_request?.status === status && pull_request.check_status === check_status,
    );
    expect(agent.pull_request?.error).toBeNull();
    expect(agent.fleet_metadata).toMatchObject({
      fleet_mcp_pull_request_status: status,
      fleet_mcp_pull_request_check_status: check_status,
    });
  }
});

it('wins over what was set by hand', async () => {
  await ask('set_agent_metadata', {
    agent_name: 'sony',
    key: 'fleet_mcp_pull_request_status',
    value: 'draft',
  });
  says({}, { state: 'success', total_count: 1 });
  const { fleet_metadata } = await sonyWhen(({ pull_request }) => pull_request?.status === 'open');
  expect(fleet_metadata['fleet_mcp_pull_request_status']).toBe('open');
});

it('is what a list is filtered by, its number and its status [OP-list_agents-pull-request-filter]', async () => {
  says({}, { state: 'success', total_count: 1 });
  await sonyWhen(({ pull_request }) => pull_request?.status === 'open');
  const named = async (pull_request_filter: string) =>
    (await agentsOf(ask, { pull_request_filter })).map(({ name }) => name);
  expect(await named('open')).toEqual(['sony']);
  expect(await named('7')).toEqual(['sony']);
  expect(await named('merged')).toEqual([]);
  expect(await named('77')).toEqual([]);
});

it('that cannot be read keeps its address, and an error says why [EDGE-05-inaccessible]', async () => {
  forge.answers.delete(PULL);
  const { pull_request } = await sonyWhen((agent) => agent.pull_request?.error !== null);
  expect(pull_request).toEqual({
    url: `${forge.url}/team/setup/pulls/7`,
    status: null,
    check_status: null,
    error: expect.stringContaining('404'),
  });
  expect((await agentsOf(ask))[0]?.pull_request).toEqual(pull_request);
});

it('of a host that nobody configured is not asked for, and what was set by hand stands', async () => {
  const url = `${stranger.url}/team/setup/pulls/7`;
  await idleAgent(ask, 'other', { pull_request_url: url });
  await ask('set_agent_metadata', {
    agent_name: 'other',
    key: 'fleet_mcp_pull_request_status',
    value: 'merged',
  });
  expect((await agentOf(ask, 'other')).pull_request).toEqual({
    url,
    status: 'merged',
    check_status: null,
    error: expect.stringContaining(stranger.host),
  });
  expect(stranger.asked).toEqual([]);
});

it('is known from the uri that an agent reports', async () => {
  const uri = `${forge.url}/team/setup/pulls/9`;
  await idleAgent(ask, 'reporter');
  const task_description = script(
    { report: 'a document', uri: `${forge.url}/wiki` },
    { report: 'opened', uri },
  );
  await ask('start_agent_task', { agent_name: 'reporter', task_description });
  await waitIdle(ask, 'reporter');
  expect((await agentOf(ask, 'reporter')).pull_request?.url).toBe(uri);
});

function says(pull: object, checks: object): void {
  forge.answers.set(PULL, { state: 'open', draft: false, merged: false, head: { sha: SHA }, ...pull });
  forge.answers.set(CHECKS, checks);
}

function sonyWhen(holds: (agent: AgentView) => boolean): Promise<AgentView> {
  return until(() => agentOf(ask, 'sony'), holds);
}
