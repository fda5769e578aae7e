import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, agentsOf, history, waitIdle, type Ask } from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['manager'] = { agent: 'command', command: ['sh', '-es'] };
  }),
);

/** What a command agent in the role of a manager prints, and how its task ends. */
async function manage(ask: Ask, task_description: string): Promise<Record<string, unknown> | undefined> {
  const names = (await agentsOf(ask)).map(({ name }) => name);
  if (names.includes('boss')) await ask('start_agent_task', { agent_name: 'boss', task_description });
  else await ask('create_agent', { project: 'Setup', name: 'boss', role: 'manager', task: task_description });
  await waitIdle(ask, 'boss');
  return (await history(ask, 'boss')).find(({ message }) => message === task_description);
}

describe('a command agent in the role of a manager', () => {
  it('uses its team from its shell, in its own name [ROLE-command-manager]', async ({ ask }) => {
    const task = [
      `fleet create Setup --name member --role shell --wait 'echo made by the boss'`,
      `fleet task member --wait 'echo again'`,
      `fleet list`,
      `fleet history member`,
      `fleet call show_agent '{"agent_name": "member"}'`,
      `fleet call set_agent_metadata '{"agent_name": "member", "key": "fleet_mcp_by", "value": "boss"}'`,
      `fleet list`,
    ].join('\n');
    const ended = await manage(ask, task);
    expect(ended).toMatchObject({ state: 'complete', result: expect.stringContaining('again') });
    expect(ended?.['result']).toMatch(/boss +busy/);
    expect(await agentOf(ask, 'member')).toMatchObject({
      created_by: 'agent:boss',
      last_result: 'again',
      fleet_metadata: { fleet_mcp_by: 'boss' },
    });
  });

  it('is itself what it reports on, and may not change agents that it did not create', async ({ ask }) => {
    await ask('create_agent', { project: 'Setup', name: 'stranger', role: 'shell', task: 'true' });
    const reported = await manage(ask, 'fleet report half of it');
    expect(reported).toMatchObject({ state: 'complete' });
    expect((await history(ask, 'boss'))[0]).toMatchObject({ kind: 'report', message: 'half of it' });
    expect(await manage(ask, 'fleet delete stranger')).toMatchObject({
      state: 'failed',
      result: expect.stringContaining('only for agents that it created'),
    });
    expect(await manage(ask, 'fleet approvals; fleet token --show')).toMatchObject({ state: 'failed' });
    expect((await agentsOf(ask)).map(({ name }) => name)).toContain('stranger');
  });
});

it('the answer to create_agent has the task that the agent begins with [T-create-current-task]', async ({
  ask,
}) => {
  const { agent } = await ask('create_agent', {
    project: 'Setup',
    name: 'begun',
    role: 'shell',
    task: 'true',
  });
  expect(agent).toMatchObject({ fleet_metadata: { fleet_mcp_current_task: 'true' } });
});
