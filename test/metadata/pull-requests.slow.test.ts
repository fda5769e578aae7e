import { execFileSync } from 'node:child_process';
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
} from '../support/fleets/fleet-under-test.ts';
import { askByCall, askByHttp } from '../server/three-interfaces.ts';
import { runFleet, serveFleet } from '../support/fleets/fleet-process.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { connectClient } from '../support/mcp-clients.ts';
import { script } from '../support/script.ts';
import { smallForge, type Respond, type SmallForge } from './small-forge.ts';

const SHA = '1f2e3d4c5b6a79880123456789abcdef01234567';
const PULL = '/api/v1/repos/team/setup/pulls/7';

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

it('follows the pull request at its forge, and its checks [US3-2, US3-3]', async () => {
  for (const [pull, checks, status, check_status] of [
    [{}, { state: 'failure', total_count: 1 }, 'open', 'failing'],
    [{ state: 'closed', merged: true }, { state: 'success', total_count: 1 }, 'merged', 'passing'],
  ] as const) {
    says(pull, checks);
    const before = fleet.fleet.events?.latest() ?? '';
    const agent = await sonyWhen(
      ({ pull_request }) => pull_request?.status === status && pull_request.check_status === check_status,
    );
    expect(agent.pull_request?.error).toBeNull();
    const told = fleet.fleet.events?.since(before, 10).find(({ kind }) => kind === 'metadata');
    expect(told).toMatchObject({ agent_name: 'sony', data: { pull_request: { status, check_status } } });
    expect(agent.updated_at).toBe(told?.at);
  }
});

it('has the states and the checks of the contract, also as key-values [AGENT-pull-request-values]', async () => {
  const cases = [
    [{ draft: true }, { state: 'pending', total_count: 0 }, 'draft', 'none'],
    [{}, { state: 'pending', total_count: 1 }, 'open', 'pending'],
    [{ state: 'closed' }, { state: 'success', total_count: 1 }, 'closed', 'passing'],
    [{ state: 'closed', merged: true }, { state: 'error', total_count: 1 }, 'merged', 'failing'],
  ] as const;
  await idleAgent(ask, 'values');
  for (const [index, [pull, checks, status, check_status]] of cases.entries()) {
    const number = 100 + index;
    says(pull, checks, number);
    await setUrl('values', `${forge.url}/team/setup/pulls/${number}`);
    expect(await agentOf(ask, 'values')).toMatchObject({
      pull_request: { status, check_status, error: null },
      fleet_metadata: {
        fleet_mcp_pull_request_status: status,
        fleet_mcp_pull_request_check_status: check_status,
      },
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

it('is what a list is filtered by at every interface, its number and its status [OP-list_agents-pull-request-filter]', async () => {
  says({}, { state: 'success', total_count: 1 });
  await sonyWhen(({ pull_request }) => pull_request?.status === 'open');
  await using served = await serveFleet(fleet.env);
  await using overHttp = await connectClient('SDK v2, modern era', served);
  await using overStdio = await connectClient('SDK v1', { env: fleet.env });
  const asks: readonly Ask[] = [
    askByHttp(served),
    askByCall(fleet.env),
    (operation, input) => overHttp.ask(operation, input),
    (operation, input) => overStdio.ask(operation, input),
  ];
  for (const ask of asks) {
    const named = async (pull_request_filter: string | number) =>
      (await agentsOf(ask, { pull_request_filter })).map(({ name }) => name);
    expect(await named('open')).toEqual(['sony']);
    expect(await named('7')).toEqual(['sony']);
    expect(await named(7)).toEqual(['sony']);
    expect(await named('draft')).toEqual([]);
    expect(await named(77)).toEqual([]);
    await expect(named('sideways')).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  }
  const { stdout } = await runFleet(['list', '--pr', '7', '--names'], { env: fleet.env });
  expect(stdout).toBe('sony\n');
});

it('is read by a server, with or without a viewer', async () => {
  says({ draft: true }, { state: 'pending', total_count: 1 }, 300);
  await ask('create_agent', {
    project: 'Setup',
    name: 'unseen',
    task: 'x',
    pull_request_url: `${forge.url}/team/setup/pulls/300`,
  });
  await waitIdle(ask, 'unseen');
  expect(await agentsOf(ask, { pull_request_filter: 300 })).toMatchObject([
    { pull_request: { status: null } },
  ]);
  await using _ = await serveFleet(fleet.env);
  const [unseen] = await until(
    () => agentsOf(ask, { pull_request_filter: 300 }),
    ([agent]) => agent?.pull_request?.status !== null,
  );
  expect(unseen?.pull_request).toMatchObject({ status: 'draft', check_status: 'pending' });
});

it('is shown while somebody waits, as in a list', async () => {
  const { agents } = await ask('wait_for_agents', { agent_names: 'sony' });
  expect(agents).toEqual(await agentsOf(ask, { pull_request_filter: 7 }));
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

it('is known from the newest uri of its form that an agent reports', async () => {
  await idleAgent(ask, 'reporter');
  const uri = (number: number) => `${forge.url}/team/setup/pulls/${number}`;
  const task_description = script(
    { report: 'opened', uri: uri(8) },
    { report: 'another', uri: uri(9) },
    { report: 'a document', uri: `${forge.url}/wiki` },
  );
  await ask('start_agent_task', { agent_name: 'reporter', task_description });
  await waitIdle(ask, 'reporter');
  expect((await agentOf(ask, 'reporter')).pull_request?.url).toBe(uri(9));
});

it('is found from the branch of the agent, and no sleeping agent is woken for it', async () => {
  execFileSync('git', ['remote', 'add', 'origin', `${forge.url}/team/setup.git`], { cwd: fleet.repository });
  const task = 'git -c user.name=a -c user.email=a@example.com commit --allow-empty -qm work';
  await idleAgent(ask, 'pusher', { role: 'shell', task });
  expect((await agentOf(ask, 'pusher')).pull_request).toBeNull();
  await ask('stop_agent', { agent_name: 'pusher' });
  const head = { ref: 'fleet/pusher', sha: SHA, repo: { full_name: 'team/setup' } };
  const created_at = new Date().toISOString();
  forge.answers.set('/api/v1/repos/team/setup/pulls?state=all&sort=recentupdate&limit=50', [
    { number: 12, state: 'open', created_at, head },
  ]);
  says({ draft: true }, { state: 'pending', total_count: 1 }, 12);
  const { pull_request, fleet_metadata, status } = await until(
    () => agentOf(ask, 'pusher'),
    (agent) => agent.pull_request !== null,
  );
  const url = `${forge.url}/team/setup/pulls/12`;
  expect(pull_request).toEqual({ url, status: 'draft', check_status: 'pending', error: null });
  expect(fleet_metadata['fleet_mcp_pull_request_url']).toBe(url);
  expect(status).toBe('stopped');
  expect((await agentsOf(ask, { pull_request_filter: 12 })).map(({ name }) => name)).toEqual(['pusher']);
});

it('is asked for by each process of a fleet as politely as by the one before', async () => {
  says({}, { state: 'success', total_count: 1 });
  await sonyWhen(({ pull_request }) => pull_request?.status === 'open');
  forge.asked.length = 0;
  await sonyWhen(() => forge.asked.length > 0);
  const others = forge.asked.length;
  await until(
    async () => void (await runFleet(['show', 'sony'], { env: fleet.env })),
    () => forge.asked.length > others,
  );
  const asked = forge.asked.filter(({ path }) => path === PULL);
  expect(asked.map(({ headers }) => headers['if-none-match'])).toEqual([
    expect.any(String),
    expect.any(String),
  ]);
});

it('is left alone by all processes when its forge asks for a pause', async () => {
  const limited: Respond = (_, response) => void response.writeHead(429, { 'retry-after': '600' }).end('{}');
  forge.answers.set('/api/v1/repos/team/setup/pulls/200', limited);
  await idleAgent(ask, 'limited', { base: 'main', pull_request_url: `${forge.url}/team/setup/pulls/200` });
  expect((await agentOf(ask, 'limited')).pull_request?.error).toContain('rate limit');
  forge.asked.length = 0;
  await setUrl('limited', `${forge.url}/team/setup/pulls/201`);
  const { stdout } = await runFleet(['show', 'limited'], { env: fleet.env });
  expect(stdout).toContain('rate limit');
  expect(forge.asked).toEqual([]);
});

function says(pull: object, checks: object, number = 7): void {
  const sha = SHA.slice(0, -3) + String(number).padStart(3, '0');
  const base = '/api/v1/repos/team/setup';
  forge.answers.set(`${base}/pulls/${number}`, {
    state: 'open',
    draft: false,
    merged: false,
    head: { sha },
    ...pull,
  });
  forge.answers.set(`${base}/commits/${sha}/status`, checks);
}

function setUrl(agent_name: string, value: string) {
  return ask('set_agent_metadata', { agent_name, key: 'fleet_mcp_pull_request_url', value });
}

function sonyWhen(holds: (agent: AgentView) => boolean): Promise<AgentView> {
  return until(() => agentOf(ask, 'sony'), holds);
}
