import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkServer } from '../../src/backends/coder/check-server.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { startStandIn } from '../support/coder/stand-in.ts';
import { coderFleet, template, type CoderFleet } from '../support/fleets/coder-fleet.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  failure,
  idleAgent,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { makeRepository } from '../support/fleets/local-fleet.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

describe('templates as projects and presets as roles', () => {
  let fleet: CoderFleet;
  const ask = (operation: string, input?: Answer) => askAs(fleet.fleet)(operation, input);
  const names = async (): Promise<unknown[]> =>
    ((await ask('list_agent_projects'))['projects'] as Answer[]).map(({ name }) => name);

  beforeAll(async () => {
    fleet = await coderFleet();
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it('tells of each project which template it is [PROJECT-template-id]', async () => {
    const projects = (await ask('list_agent_projects'))['projects'] as Answer[];
    for (const known of fleet.standIn.templates) {
      const project = projects.find(({ name }) => name === known.display_name);
      expect(project).toMatchObject({ template_id: known.id, template_name: known.name, backend: 'coder' });
      expect(project?.['template_id']).toMatch(UUID);
    }
  });

  it('has every template that it can drive as a project by its display name, and no other [T-list_agent_projects-display-name, T-list_agent_projects-usable, FR-030]', async () => {
    const { templates } = fleet.standIn;
    const added = [
      { ...template('third', 'Third', ''), parameters: [...(templates[0]?.parameters ?? [])] },
      template('nameless', '', ''),
      { ...template('promptless', 'Promptless', ''), parameters: ['fleet_managed'] },
      { ...template('other', 'Other', ''), parameters: ['region'], apps: ['code-server'] },
      { ...template('claude', 'Claude', ''), parameters: ['ai_prompt', 'system_prompt'], apps: ['ccw'] },
      { ...template('promptly', 'Promptly', ''), parameters: ['ai_prompt'], apps: ['ccw'] },
    ];
    templates.push(...added);
    expect(new Set(await names())).toEqual(new Set(['Setup', 'DataOne', 'Third', 'Claude']));
    const [backend] = await coderBackends(fleet.opened);
    if (backend === undefined) throw new Error('no backend');
    const findings = await checkServer(backend);
    const why = Object.fromEntries(findings.map(({ name, message }) => [name, message]));
    expect(why['coder template coder/nameless']).toContain('no display name');
    expect(why['coder template coder/promptless']).toContain('ai_prompt');
    expect(why['coder template coder/other']).toContain('no app "fleet"');
    expect(why['coder template coder/promptly']).toContain(
      'AgentAPI, and it lacks the parameters system_prompt',
    );
    templates.splice(2);
  });

  it('finds a project by display name, name and organization/name, in any spelling', async () => {
    for (const project of ['SETUP', 'setup', 'coder/SETUP']) {
      expect(await ask('list_agent_roles', { project })).toMatchObject({ project: 'Setup' });
    }
  });

  it('gives two templates of one display name their full names', async () => {
    fleet.standIn.templates.push(template('setup-2', 'Setup', ''));
    expect(new Set(await names())).toEqual(new Set(['coder/setup', 'coder/setup-2', 'DataOne']));
    fleet.standIn.templates.pop();
  });

  it('builds an agent with the preset that its role names, on the version that is active then [ROLE-preset]', async () => {
    const setup = fleet.standIn.templates[0];
    if (setup === undefined) throw new Error('no template');
    const agent = await idleAgent(ask, 'first', { role: 'OPERATOR', task: 'echo one' });
    expect(agent.role).toBe('operator');
    const made = fleet.standIn.workspaces.find(({ identity }) => identity.name === 'first');
    expect(made?.latest.preset_id).toBe(setup.presets.find(({ name }) => name === 'operator')?.id);
    const presets = setup.presets.map((preset) => ({ ...preset, id: randomUUID() }));
    Object.assign(setup, {
      version_id: randomUUID(),
      presets: presets.filter(({ name }) => name !== 'manager'),
    });
    await ask('create_agent', { project: 'Setup', role: 'operator', task: 'true', name: 'second' });
    const next = fleet.standIn.workspaces.find(({ identity }) => identity.name === 'second');
    expect(next?.latest.preset_id).toBe(presets.find(({ name }) => name === 'operator')?.id);
    const gone = await failure(ask('create_agent', { project: 'Setup', role: 'manager', task: 'true' }));
    expect(gone).toMatchObject({ code: 'NOT_FOUND', details: { field: 'role' } });
    await waitIdle(ask);
    expect(await agentOf(ask, 'first')).toMatchObject({ role: 'operator', status: 'idle' });
  });

  it('finds the server by its variables and names the agent as its workspace [CODER-names]', async () => {
    await ask('create_agent', { project: 'DataOne', task: 'say it', name: 'Name-7' });
    expect(fleet.standIn.workspaces.map(({ identity }) => identity.name)).toContain('Name-7');
    for (const variable of ['CODER_URL', 'CODER_SESSION_TOKEN']) {
      const env = { ...fleet.env, FLEET_HOME: join(fleet.directory, variable) };
      await using opened = openFleet({ env: { ...env, [variable]: '' }, cwd: fleet.directory });
      const error = await failure(askAs(opened.fleet)('list_agents'));
      expect(error).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: expect.stringContaining(variable),
      });
    }
  });
});

describe('several backends', () => {
  it('uses several Coder servers beside this machine, each with its url and token [CFG-backends, OP-list_agents-several-backends]', async () => {
    await using first = await coderFleet();
    await using second = await startStandIn([template('other', 'Other', '')], join(first.directory, 'other'));
    const repository = makeRepository(join(first.directory, 'here'));
    const config = `version: 1
projects:
  Here: { repository: ${repository}, default_role: shell }
  Renamed: { backend: one, template: coder/setup, default_role: coder }
roles:
  shell: { agent: command, command: [sh, -s] }
backends:
  one: { type: coder, url: ${first.standIn.url}, token_env: ONE_TOKEN }
  two: { type: coder, url: "${second.url}", token_env: TWO_TOKEN }
`;
    writeFileSync(join(first.directory, 'fleet.yaml'), config);
    const env = { ...first.env, ONE_TOKEN: first.standIn.token, TWO_TOKEN: second.token };
    await using opened = openFleet({ env, cwd: first.directory });
    const ask = askAs(opened.fleet);
    const projects = (await ask('list_agent_projects'))['projects'] as Answer[];
    expect(projects).toMatchObject([
      { name: 'Here', backend: 'local' },
      { name: 'Renamed', backend: 'one', template_name: 'setup' },
      { name: 'Other', backend: 'two' },
    ]);
    await ask('create_agent', { project: 'Here', task: 'echo 1', name: 'a' });
    await ask('create_agent', { project: 'Renamed', task: 'echo 2', name: 'b' });
    await ask('create_agent', { project: 'Other', role: 'coder', task: 'echo 3', name: 'c' });
    await waitIdle(ask);
    expect((await agentsOf(ask)).map(({ name, project }) => [name, project])).toEqual([
      ['a', 'Here'],
      ['b', 'Renamed'],
      ['c', 'Other'],
    ]);
    const taken = await failure(ask('create_agent', { project: 'Here', task: 'x', name: 'C' }));
    expect(taken).toMatchObject({ code: 'CONFLICT', details: { field: 'name', reason: 'name_taken' } });

    await second[Symbol.asyncDispose]();
    const answer = await ask('list_agents');
    expect((answer['agents'] as Answer[]).map(({ name }) => name)).toEqual(['a', 'b']);
    expect(answer['unavailable']).toMatchObject([
      { backend: 'two', message: expect.stringContaining(second.url) },
    ]);
    expect(await agentOf(ask, 'a')).toMatchObject({ status: 'idle' });
    expect(await ask('wait_for_agents', { agent_names: 'a,b' })).toMatchObject({ timed_out: false });
    expect(await failure(ask('wait_for_agents', { agent_names: 'a,c' }))).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining(second.url),
    });
    await ask('delete_agent', { agent_name: 'a' });
  });

  it('does not send a token where a file that merely lay there says', async () => {
    await using fleet = await coderFleet();
    const { FLEET_CONFIG: _, ...env } = fleet.env;
    const home = join(fleet.directory, 'untrusting');
    const before = fleet.standIn.requests.length;
    await using opened = openFleet({ env: { ...env, FLEET_HOME: home }, cwd: fleet.directory });
    const error = await failure(askAs(opened.fleet)('list_agents'));
    expect(error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('fleet trust'),
    });
    expect(fleet.standIn.requests).toHaveLength(before);
  });
});
