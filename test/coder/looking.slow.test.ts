import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Fleet } from '../../src/fleet/fleet.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { Metrics } from '../../src/server/metrics.ts';
import { coderFleet, template, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import { StandInWorkspace } from '../support/coder/stand-in-workspace.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  idleAgent,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { makeRepository } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

let fleet: CoderFleet;
const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
/** A workspace that was not made through Fleet. */
const foreign = (name: string, parameters: Record<string, string>): StandInWorkspace => {
  const setup = fleet.standIn.templates[0];
  if (setup === undefined) throw new Error('no template');
  const workspace = new StandInWorkspace({
    app: 'fleet',
    name,
    template_id: setup.id,
    directory: fleet.directory,
    url: fleet.standIn.url,
    manners: fleet.standIn.manners,
  });
  const fleet_role = JSON.stringify({ agent: 'command', command: ['sh', '-s'] });
  const given = { fleet_role, ...parameters };
  workspace.build('start', { preset_id: null, version_id: setup.version_id, parameters: given });
  fleet.standIn.workspaces.push(workspace);
  return workspace;
};

beforeAll(async () => {
  fleet = await coderFleet();
});
afterAll(() => fleet[Symbol.asyncDispose]());

describe('looking at agents on Coder', () => {
  it('takes a list from one request and from what was last received [AGENT-list-coder-copy]', async () => {
    const go = signalFile(fleet, 'go-copy');
    await idleAgent(ask, 'copied', { pull_request_url: 'https://example.com/a/b/pull/3' });
    await ask('start_agent_task', { agent_name: 'copied', task_description: script({ hold: go }) });
    await ask('start_agent_task', { agent_name: 'copied', task_description: 'next', when_busy: 'queue' });
    const before = fleet.standIn.requests.length;
    const [listed] = await agentsOf(ask);
    expect(fleet.standIn.requests.slice(before).filter((request) => !request.includes('app-status'))).toEqual(
      ['GET /api/v2/workspaces'],
    );
    expect(listed).toMatchObject({
      name: 'copied',
      status: 'busy',
      queue_length: 1,
      metadata: {},
      pull_request: { url: 'https://example.com/a/b/pull/3' },
    });
    writeFileSync(go, '');
    await waitIdle(ask, 'copied');
  });

  it('shows what the template publishes under the prefix of the fleet [AGENT-fleet-metadata-coder]', async () => {
    await idleAgent(ask, 'published');
    const workspace = fleet.workspaceOf('published');
    workspace.metadata = [
      { key: 'fleet_mcp_region', value: 'north', sensitive: false },
      { key: 'fleet_mcp_secret', value: 'hidden', sensitive: true },
      { key: 'cpu', value: '4', sensitive: false },
    ];
    workspace.scripts = { fleet_mcp_branch: 'topic\n', load: '0.3' };
    const { version_id } = workspace.latest;
    Object.assign(workspace.latest, { version_id: fleet.standIn.templates[1]?.version_id ?? version_id });
    const { fleet_metadata } = await agentOf(ask, 'published');
    expect(fleet_metadata).toMatchObject({
      fleet_mcp_region: 'north',
      fleet_mcp_branch: 'topic',
      fleet_mcp_agent_name: 'published',
    });
    expect(Object.keys(fleet_metadata)).not.toContain('load');
    expect(Object.keys(fleet_metadata)).not.toContain('fleet_mcp_secret');
    expect(Object.keys(fleet_metadata)).not.toContain('cpu');
  });

  it('never has a workspace that Fleet did not make as an agent', async () => {
    const strangers = [foreign('stranger', {}), foreign('half', { fleet_managed: 'true' })];
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('half');
    for (const { identity, builds } of strangers) {
      for (const operation of ['show_agent', 'stop_agent', 'delete_agent']) {
        const error = await failure(ask(operation, { agent_name: identity.name }));
        expect(error.code, operation).toBe('NOT_FOUND');
      }
      expect(builds).toHaveLength(1);
    }
  });

  it('shows an agent of another user by owner/name, and does nothing to it', async () => {
    const parameters = { fleet_managed: 'true', fleet_agent_id: 'theirs', fleet_spec: 'their spec' };
    const theirs = foreign('theirs', parameters);
    theirs.owner = 'ann';
    const stranger = foreign('stranger-2', {});
    stranger.owner = 'ann';
    expect(await agentOf(ask, 'ann/theirs')).toMatchObject({
      name: 'ann/theirs',
      spec: 'their spec',
      project: 'Setup',
      created_by: 'coder:ann',
    });
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain('theirs');
    expect((await failure(ask('show_agent', { agent_name: 'theirs' }))).code).toBe('NOT_FOUND');
    for (const name of ['ann/stranger-2', 'bob/theirs'])
      expect((await failure(ask('show_agent', { agent_name: name }))).code).toBe('INVALID_INPUT');
    for (const operation of ['stop_agent', 'restart_agent', 'delete_agent', 'show_agent_log'])
      expect((await failure(ask(operation, { agent_name: 'ann/theirs' }))).code).toBe('INVALID_INPUT');
    expect(theirs.builds).toHaveLength(1);
  });

  it('adopts one on purpose, which then takes tasks and has no spec [CLI-adopt, AGENT-spec-adopted]', async () => {
    foreign('found', {});
    const adopted = await runFleet(['adopt', 'found', '--yes', '--json'], { env: fleet.env });
    expect(JSON.parse(adopted.stdout)).toMatchObject({ agent_name: 'found', project: 'Setup' });
    await waitIdle(ask, 'found');
    expect(await agentOf(ask, 'found')).toMatchObject({ spec: null, status: 'idle', project: 'Setup' });
    await ask('start_agent_task', { agent_name: 'found', task_description: 'echo hi' });
    await waitIdle(ask, 'found');
    const again = await runFleet(['adopt', 'found', '--yes', '--json'], { env: fleet.env });
    expect(again.code).toBe(4);
    const nobody = await runFleet(['adopt', 'nobody', '--yes', '--json'], { env: fleet.env });
    expect(nobody.code).toBe(3);
  });

  it('notifies a waiting caller of a change that somebody else made', async () => {
    await idleAgent(ask, 'watched');
    await agentsOf(ask);
    const { cursor } = await ask('wait_for_agents', { agent_names: 'watched' });
    const waiting = ask('wait_for_agents', {
      agent_names: 'watched',
      until: 'any_change',
      cursor: String(cursor),
      timeout_seconds: 40,
    });
    const workspace = fleet.workspaceOf('watched');
    const { preset_id, version_id } = workspace.latest;
    workspace.build('stop', { preset_id, version_id, parameters: {} });
    expect(await waiting).toMatchObject({ timed_out: false, agents: [{ name: 'watched' }] });
    await until(
      () => agentOf(ask, 'watched'),
      ({ status }) => status === 'stopped',
    );
  });
});

describe('a thousand workspaces', () => {
  it('are listed in one call, by pages and nothing else [NUM-list-1000-coder]', async () => {
    await using many = await coderFleet();
    many.standIn.manners.runners = false;
    many.standIn.manners.build_ms = 0;
    const [setup = template('x', 'X', '')] = many.standIn.templates;
    for (let index = 0; index < 1000; index++) {
      const workspace = new StandInWorkspace({
        app: 'fleet',
        name: `agent-${index}`,
        template_id: setup.id,
        directory: many.directory,
        url: many.standIn.url,
        manners: many.standIn.manners,
      });
      const parameters = { fleet_managed: 'true', fleet_agent_id: `id-${index}`, fleet_origin: '{}' };
      workspace.build('start', {
        preset_id: setup.presets[0]?.id ?? null,
        version_id: setup.version_id,
        parameters,
      });
      many.standIn.workspaces.push(workspace);
    }
    const own = askAs(many.fleet);
    expect(await own('list_agents')).toMatchObject({ total_count: 1000 });
    const before = many.standIn.requests.length;
    const agents = await agentsOf(own);
    expect(new Set(agents.map(({ workspace_id }) => workspace_id)).size).toBe(1000);
    expect(many.standIn.requests.slice(before)).toEqual(
      Array.from({ length: 5 }, () => 'GET /api/v2/workspaces'),
    );
  });
});

describe('a Coder that does not answer', () => {
  it('makes a list fail when it is the only backend, also where this machine has no projects and no agents [T-list_agents-unavailable]', async () => {
    await using lonely = await coderFleet();
    const own = askAs(lonely.fleet);
    await lonely.standIn[Symbol.asyncDispose]();
    const error = await failure(own('list_agents'));
    expect(error).toMatchObject({ code: 'SERVICE_UNAVAILABLE', details: { reason: 'coder_unavailable' } });
    expect(error.message).toContain(lonely.standIn.url);
    const listed = await runFleet(['list', '--json'], { env: lonely.env });
    expect([listed.code, JSON.parse(listed.stdout)]).toMatchObject([
      7,
      { error: { code: 'SERVICE_UNAVAILABLE' } },
    ]);
    const [backend] = await coderBackends(lonely.opened);
    if (backend === undefined) throw new Error('no backend');
    const only = askAs(new Fleet({ backends: [backend], clock: systemClock }));
    expect((await failure(only('list_agents'))).code).toBe('SERVICE_UNAVAILABLE');
  });

  it('is the same when it refuses the token', async () => {
    await using lonely = await coderFleet();
    const env = { ...lonely.env, CODER_SESSION_TOKEN: 'standinaaa-revoked' };
    const listed = await runFleet(['list'], { env });
    expect(listed).toMatchObject({ code: 7, stdout: '' });
    expect(listed.stderr).toContain('does not accept the token in CODER_SESSION_TOKEN');
    await using opened = openFleet({ env, cwd: lonely.directory });
    expect(await failure(askAs(opened.fleet)('list_agents'))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      details: { reason: 'coder_token' },
    });
    const metrics = await new Metrics().render(opened.fleet);
    expect(metrics).toContain('fleet_http_requests_total');
    expect(metrics).not.toContain('fleet_agents');
  });

  it('does not hide what this machine has', async () => {
    await using mixed = await coderFleet();
    const repository = makeRepository(join(mixed.directory, 'here'));
    const config = `version: 1
backend: coder
projects:
  Here: { backend: local, repository: ${repository}, default_role: shell }
roles:
  shell: { agent: command, command: [sh, -s] }
`;
    writeFileSync(join(mixed.directory, 'fleet.yaml'), config);
    await mixed.standIn[Symbol.asyncDispose]();
    await using opened = openFleet({ env: mixed.env, cwd: mixed.directory });
    const own = askAs(opened.fleet);
    const unavailable = [{ backend: 'coder' }];
    expect(await own('list_agents')).toMatchObject({ agents: [], total_count: 0, unavailable });
  });
});
