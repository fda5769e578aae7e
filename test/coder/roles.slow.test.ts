import { randomUUID } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { ourTemplate, TEMPLATE_KINDS } from '../../src/backends/coder/templates/our-templates.ts';
import { pushTemplate } from '../../src/backends/coder/templates/push-template.ts';
import { BUILT_IN_ROLES } from '../../src/config/built-in-roles.ts';
import { coderFleet, template } from '../support/fleets/coder-fleet.ts';
import { agentOf, askAs, idleAgent, type Answer } from '../support/fleets/fleet-under-test.ts';
import { coderBackends } from '../../src/upkeep/coder/coder-backend-of.ts';

const ACP_AGENT = fileURLToPath(new URL('../support/programs/acp-agent.mjs', import.meta.url));
const BUILT_IN = BUILT_IN_ROLES.map(({ name }) => name);

it.each(TEMPLATE_KINDS)(
  'the template %s has the roles coder, operator and manager, and agents are created with each of them [US5-1, FR-026]',
  async (kind) => {
    await using fleet = await coderFleet();
    fleet.standIn.manners.runners = false;
    const [backend] = await coderBackends(fleet.opened);
    if (backend === undefined) throw new Error('no backend');
    await pushTemplate(
      backend.context.client,
      ourTemplate(kind, {
        home: fleet.home,
        env: fleet.env,
        variables: kind === 'process' ? { coder_bin: process.execPath } : {},
      }),
    );
    const ask = askAs(fleet.fleet);
    const project = `Fleet ${kind}`;
    const roles = (await ask('list_agent_roles', { project }))['roles'] as Answer[];
    expect(roles.map(({ name }) => name)).toEqual(expect.arrayContaining(BUILT_IN));
    for (const { description } of roles) expect(description).toMatch(/\w+ \w+/);
    expect(new Set(roles.map(({ description }) => description)).size).toBe(roles.length);
    expect(roles.filter((role) => role['default'] === true)).toMatchObject([{ name: 'coder' }]);

    const prompts = new Set<string | undefined>();
    for (const role of BUILT_IN) {
      const name = `a-${role}`;
      const { agent } = await ask('create_agent', { project, role, task: 'true', name });
      expect(agent).toMatchObject({ name, project, role });
      expect(await agentOf(ask, name)).toMatchObject({ project, role });
      const made = fleet.standIn.workspaces.find(({ identity }) => identity.name === name);
      expect(made?.latest.preset_id).toBe(roles.find((each) => each['name'] === role)?.['id']);
      expect(made?.latest.parameters['system_prompt']).toMatch(/^You \w+ /);
      prompts.add(made?.latest.parameters['system_prompt']);
    }
    expect(prompts.size).toBe(BUILT_IN.length);
  },
);

it('an agent in a workspace gets the system prompt of its role, which is that of the preset [FR-027]', async () => {
  await using fleet = await coderFleet();
  const sessions = join(fleet.directory, 'sessions');
  mkdirSync(sessions);
  const fleet_role = JSON.stringify({
    agent: 'acp',
    command: [process.execPath, ACP_AGENT],
    env: { SCRIPTED_SESSIONS: sessions },
  });
  const prompts: Readonly<Record<string, string>> = { coder: 'Write code.', manager: 'Lead the others.' };
  const presets = Object.entries(prompts).map(([name, system_prompt]) => ({
    id: randomUUID(),
    name,
    description: '',
    default: false,
    parameters: { fleet_role, system_prompt },
  }));
  fleet.standIn.templates.push({ ...template('prompted', 'Prompted', ''), presets });
  const ask = askAs(fleet.fleet);
  for (const [role, prompt] of Object.entries(prompts)) {
    const before = new Set(readdirSync(sessions));
    await idleAgent(ask, role, { project: 'Prompted', role, task: 'SCRIPT:[{"say":"hello"}]' });
    const [own = ''] = readdirSync(sessions).filter((file) => !before.has(file));
    const told = readFileSync(join(sessions, own), 'utf8');
    for (const other of Object.values(prompts)) expect(told.includes(other)).toBe(other === prompt);
  }
});
