import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { AI, agentOf, agentsOf, askAs, failure } from '../support/fleets/fleet-under-test.ts';
import { localFleet, SCRIPTED } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['coder'] = { agent: 'command', command: [process.execPath, SCRIPTED] };
    config.projects['Plain'] = { repository: config.projects['Setup']?.['repository'] };
  }),
);

describe('create_agent', () => {
  it('refuses a name that another agent has in another spelling [AGENT-name-unique]', async ({ ask }) => {
    await ask('create_agent', { project: 'Setup', task: 'hello', name: 'Papi' });
    const error = await failure(ask('create_agent', { project: 'Setup', task: 'hello', name: 'papi' }));
    expect(error.code).toBe('CONFLICT');
    expect(error.details.field).toBe('name');
    expect((await agentsOf(ask)).filter(({ name }) => /^papi$/i.test(name)).map(({ name }) => name)).toEqual([
      'Papi',
    ]);
    expect((await agentOf(ask, 'PAPI')).name).toBe('Papi');
  });

  it('refuses the names new and create [AGENT-name-reserved]', async ({ ask }) => {
    for (const name of ['new', 'create', 'New', 'CREATE']) {
      const error = await failure(ask('create_agent', { project: 'Setup', task: 'hello', name }));
      expect(error.code).toBe('INVALID_INPUT');
      expect(error.message).toContain(JSON.stringify(name));
    }
  });

  it('finds project and role in any spelling and shows them as they are configured [AGENT-role-project-spelling]', async ({
    ask,
  }) => {
    const { agent } = await ask('create_agent', {
      project: 'SETUP',
      role: 'ScripTed',
      task: 'hello',
      name: 'speller',
    });
    expect(agent).toMatchObject({ project: 'Setup', role: 'scripted' });
    expect(await agentOf(ask, 'speller')).toMatchObject({ project: 'Setup', role: 'scripted' });
    const found = await agentsOf(ask, { project_filter: 'sETUP' });
    expect(found).toContainEqual(
      expect.objectContaining({ name: 'speller', project: 'Setup', role: 'scripted' }),
    );
    expect(await ask('list_agent_roles', { project: 'setup' })).toMatchObject({ project: 'Setup' });
  });

  it('takes the task for the spec when there is none [AGENT-spec-default]', async ({ ask }) => {
    const task = 'Write a poem.\n\nIn two parts.';
    await ask('create_agent', { project: 'Setup', task, name: 'poet' });
    expect((await agentOf(ask, 'poet')).spec).toBe(task);
    await ask('create_agent', { project: 'Setup', task, name: 'planner', spec: 'Something else.' });
    expect((await agentOf(ask, 'planner')).spec).toBe('Something else.');
  });

  it('takes a spec that is text as it is, whatever characters it has [OP-spec-text]', async ({ ask }) => {
    const specs = [
      '\r\n  Leading and trailing \t\n',
      'objectives: none of the known keys; {not json} [nor yaml: - "x',
      '# A heading\n\n- a list: with a colon\n---\n%TAG ! odd\n*star &and @at `tick`',
      'quotes \' " and $(touch x) ${HOME} \\ \u202e \u0007 \u001b[31m 中 😀 👩‍🚀 e\u0301',
      'x'.repeat(65_536),
    ];
    for (const [index, spec] of specs.entries()) {
      await ask('create_agent', { project: 'Setup', task: 'hello', name: `spec-${index}`, spec });
      expect((await agentOf(ask, `spec-${index}`)).spec).toBe(spec);
    }
  });

  it('says who created the agent [AGENT-created-by]', async ({ fleet, ask }) => {
    const { agent } = await askAs(fleet.fleet, AI)('create_agent', {
      project: 'Setup',
      task: 'hello',
      name: 'made-by-ai',
    });
    expect(agent).toMatchObject({ created_by: 'mcp:stdio' });
    const list = await agentsOf(ask);
    expect(list.find(({ name }) => name === 'made-by-ai')?.created_by).toBe('mcp:stdio');
    await ask('create_agent', { project: 'Setup', task: 'hello', name: 'made-by-human' });
    expect((await agentOf(ask, 'made-by-human')).created_by).toBe('user:tester');
  });

  it('gives an agent without a role the default of its project, and that role alone is marked [OP-create_agent-project-default-role, OP-roles-default]', async ({
    ask,
  }) => {
    for (const [project, role] of [
      ['Setup', 'scripted'],
      ['Plain', 'coder'],
    ] as const) {
      const { agent } = await ask('create_agent', { project, task: 'hello', name: `by-default-${role}` });
      expect(agent).toMatchObject({ project, role });
      const { roles } = (await ask('list_agent_roles', { project })) as {
        roles: { name: string; default: boolean }[];
      };
      expect(roles.filter((each) => each.default).map(({ name }) => name)).toEqual([role]);
      expect(roles.length).toBeGreaterThan(3);
    }
  });

  it('lets exactly one of many at once have a name [OP-create_agent-same-name]', async ({ ask }) => {
    const outcomes = await Promise.allSettled(
      Array.from({ length: 8 }, (_, index) =>
        ask('create_agent', { project: 'Setup', task: 'hello', name: index % 2 === 0 ? 'Twin' : 'twin' }),
      ),
    );
    const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
    expect(refused).toHaveLength(7);
    expect(new Set(refused.map(({ code }) => code as string))).toEqual(new Set(['CONFLICT']));
    expect((await agentsOf(ask)).filter(({ name }) => name.toLowerCase() === 'twin')).toHaveLength(1);
  });
});
