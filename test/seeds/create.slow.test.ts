import { existsSync, readdirSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import type { AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  failure,
  idleAgent,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, makeRepository, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { fleetBranches, git, statusesOf } from './on-this-machine.ts';

const BUILT_IN = ['coder', 'operator', 'manager'];
const SPEC = 'objective: „ship it“\nconstraints:\n  - $HOME is not expanded; "quotes" stay\n';

const it = fleetTest(() =>
  localFleet((config) => {
    const repository = String(config.projects['Setup']?.['repository']);
    for (const role of BUILT_IN) config.roles[role] = { agent: 'command', command: ['sh', '-s'] };
    config.projects['Plain'] = { repository };
    config.roles['writer'] = {
      agent: 'command',
      command: ['sh', '-c', 'cat > text; printf %s "$FLEET_SPEC" > spec; pwd > where'],
    };
  }),
);
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'sony', { role: 'writer', spec: SPEC });
});

const workspaceOf = (fleet: LocalFleet, { workspace_id }: { workspace_id: string }): string =>
  agentPaths(fleet.home, workspace_id).workspace;

describe('an agent on this machine', () => {
  it('gets a repository and a branch of its own, where its program runs [FR-001]', async ({ fleet, ask }) => {
    const agent = await agentOf(ask, 'sony');
    const workspace = workspaceOf(fleet, agent);
    expect(realpathSync(readFileSync(join(workspace, 'where'), 'utf8').trim())).toBe(realpathSync(workspace));
    expect(git(workspace, 'symbolic-ref', '--short', 'HEAD')).toBe('fleet/sony');
    expect(git(workspace, 'rev-parse', 'HEAD')).toBe(git(fleet.repository, 'rev-parse', 'main'));
    expect(git(fleet.repository, 'rev-parse', 'fleet/sony')).toBe(git(fleet.repository, 'rev-parse', 'main'));
    expect(git(fleet.repository, 'symbolic-ref', '--short', 'HEAD')).toBe('main');
    expect(git(fleet.repository, 'status', '--porcelain')).toBe('');
    expect(agent).toMatchObject({ spec: SPEC, project: 'Setup', role: 'writer' });
  });

  it('gets its task and its spec whole [FR-011, FR-025]', async ({ fleet, ask }) => {
    const agent = await idleAgent(ask, 'reader', { role: 'writer', spec: SPEC });
    expect(readFileSync(join(workspaceOf(fleet, agent), 'spec'), 'utf8')).toBe(SPEC);
    expect(agent.fleet_metadata['fleet_mcp_agent_spec']).toBe(SPEC);
    const text = `begin „ä“ $HOME \`x\`\n\t${'0123456789'.repeat(6_500)}\r\nend`;
    await ask('start_agent_task', { agent_name: 'reader', task_description: text });
    await waitIdle(ask, 'reader');
    expect(readFileSync(join(workspaceOf(fleet, agent), 'text'), 'utf8')).toBe(text);
  });

  it('goes by itself through pending and starting to busy with its first task [AGENT-transition-create]', async ({
    fleet,
    ask,
  }) => {
    const go = join(fleet.directory, 'go-first');
    const task = script({ hold: go });
    const { agent } = await ask('create_agent', { project: 'Setup', task, name: 'first' });
    const busy = await until(
      () => agentOf(ask, 'first'),
      ({ current_task }) => current_task !== null,
    );
    expect(busy).toMatchObject({ status: 'busy', current_task: task });
    const { workspace_id } = agent as AgentView;
    expect(statusesOf(fleet, workspace_id)).toEqual(['pending', 'starting', 'busy']);
    writeFileSync(go, '');
    await waitIdle(ask, 'first');
  });

  it('is a coder when its project says nothing else [FR-002]', async ({ ask }) => {
    expect(await idleAgent(ask, 'plain', { project: 'Plain', task: 'true' })).toMatchObject({
      role: 'coder',
    });
    expect((await ask('list_agent_roles', { project: 'Setup' }))['roles']).toContainEqual(
      expect.objectContaining({ name: 'scripted', default: true }),
    );
  });

  it('has the spec, the project and the role it was created with [US1-1]', async ({ fleet, ask }) => {
    const agent = await idleAgent(ask, 'alpha', { role: 'coder', spec: SPEC, task: 'pwd > here' });
    expect(agent).toMatchObject({ name: 'alpha', spec: SPEC, project: 'Setup', role: 'coder' });
    const here = readFileSync(join(workspaceOf(fleet, agent), 'here'), 'utf8').trim();
    expect(realpathSync(here)).toBe(realpathSync(workspaceOf(fleet, agent)));
    expect(here).toContain(agent.workspace_id);
  });

  it('can have any project and role that discovery names [US5-3, FR-026]', async ({ ask }) => {
    const projects = (await ask('list_agent_projects'))['projects'] as Answer[];
    const pairs: [unknown, unknown][] = [];
    for (const { name } of projects) {
      const roles = (await ask('list_agent_roles', { project: name }))['roles'] as Answer[];
      expect(roles.map((role) => role['name'])).toEqual(expect.arrayContaining(BUILT_IN));
      if (name === 'Setup') pairs.push(...roles.map((role): [unknown, unknown] => [name, role['name']]));
      else pairs.push([name, roles.find((role) => role['default'] === true)?.['name']]);
    }
    expect(pairs.length).toBe(8);
    const names = await Promise.all(
      pairs.map(async ([project, role], index) => {
        const name = `pair-${index}`;
        const { agent } = await ask('create_agent', { project, role, task: 'true', name });
        expect(agent).toMatchObject({ name, project, role });
        return name;
      }),
    );
    await waitIdle(ask, ...names);
    for (const [index, [project, role]] of pairs.entries()) {
      expect(await agentOf(ask, `pair-${index}`)).toMatchObject({ status: 'idle', project, role });
    }
    for (const name of names) await ask('delete_agent', { agent_name: name });
  });

  it('refuses a bad or taken name before anything is made [EDGE-06]', async ({ fleet, ask }) => {
    const made = (): unknown => [
      readdirSync(join(fleet.home, 'agents')).toSorted(),
      fleetBranches(fleet.repository),
    ];
    const before = made();
    for (const [name, code] of [
      ['sony', 'CONFLICT'],
      ['SONY', 'CONFLICT'],
      ['so ny', 'INVALID_INPUT'],
      ['-sony', 'INVALID_INPUT'],
      ['x'.repeat(33), 'INVALID_INPUT'],
      ['New', 'INVALID_INPUT'],
      ['create', 'INVALID_INPUT'],
      ['../sony', 'INVALID_INPUT'],
    ]) {
      const error = await failure(ask('create_agent', { project: 'Setup', task: 'x', name }));
      expect(error, name).toMatchObject({ code, details: { field: 'name' } });
      expect(error.message).toContain(JSON.stringify(name));
    }
    expect(made()).toEqual(before);
  });
});

describe('projects and roles', () => {
  it('are shared by several agents, each in a workspace of its own [PROJECT-role-shared]', async ({
    fleet,
    ask,
  }) => {
    const twins = await Promise.all(
      ['twin-1', 'twin-2'].map((name) =>
        idleAgent(ask, name, { task: script({ write: 'mine', content: name }) }),
      ),
    );
    expect(new Set(twins.map(({ workspace_id }) => workspace_id)).size).toBe(2);
    for (const twin of twins) {
      expect(twin).toMatchObject({ project: 'Setup', role: 'scripted' });
      expect(readFileSync(join(workspaceOf(fleet, twin), 'mine'), 'utf8')).toBe(twin.name);
    }
    expect(existsSync(join(fleet.repository, 'mine'))).toBe(false);
  });

  it('have repositories of their own and work side by side [FR-029, FR-031, SC-004]', async ({
    fleet,
    ask,
  }) => {
    const other = makeRepository(join(fleet.directory, 'third'));
    writeFileSync(join(other, 'only-here'), 'third\n');
    git(other, 'add', '.');
    git(other, '-c', 'user.name=T', '-c', 'user.email=t@localhost', 'commit', '--quiet', '-m', 'second');
    fleet.configure((config) => {
      config.projects['Third'] = { repository: other, default_role: 'scripted' };
    });
    const go = join(fleet.directory, 'go-side');
    const projects = ['Setup', 'DataOne', 'Third'];
    for (const project of projects) {
      await ask('create_agent', { project, name: `at-${project}`, task: script({ hold: go }) });
    }
    const agents = await Promise.all(
      projects.map((project) =>
        until(
          () => agentOf(ask, `at-${project}`),
          ({ current_task }) => current_task !== null,
        ),
      ),
    );
    const repositories = [fleet.repository, join(fleet.directory, 'data-one'), other];
    for (const [index, agent] of agents.entries()) {
      expect(agent).toMatchObject({ status: 'busy', project: projects[index] });
      expect(git(workspaceOf(fleet, agent), 'rev-parse', 'HEAD')).toBe(
        git(repositories[index] ?? '', 'rev-parse', `fleet/${agent.name}`),
      );
      expect(existsSync(join(workspaceOf(fleet, agent), 'only-here'))).toBe(agent.project === 'Third');
    }
    writeFileSync(go, '');
    await waitIdle(ask, ...agents.map(({ name }) => name));
  });
});
