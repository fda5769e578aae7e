import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { openFleet } from '../../src/fleet/open-fleet.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, agentsOf, askAs, until, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { processesNaming, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { callElsewhere, processesOf } from './on-this-machine.ts';

const it = fleetTest();

const file = (fleet: LocalFleet, name: string): string => join(fleet.directory, name);

describe('several processes on one fleet', () => {
  it('see at once what another of them changed, with no daemon [STORE-any-process]', async ({
    fleet,
    ask,
  }) => {
    const created = await callElsewhere(fleet, 'create_agent', {
      project: 'Setup',
      name: 'shared',
      task: script({ write: file(fleet, 'begun') }, { hold: file(fleet, 'go') }),
    });
    const { workspace_id } = created['agent'] as AgentView;
    expect((await agentsOf(ask)).map((agent) => agent.workspace_id)).toEqual([workspace_id]);
    await until(async () => existsSync(file(fleet, 'begun')), Boolean);
    const seen = (await callElsewhere(fleet, 'show_agent', { agent_name: 'shared' }))['agent'];
    expect(seen).toMatchObject({ status: 'busy', workspace_id });

    await ask('start_agent_task', { agent_name: 'shared', task_description: 'next', when_busy: 'queue' });
    const queued = (await callElsewhere(fleet, 'show_agent', { agent_name: 'shared' }))['agent'];
    expect(queued).toMatchObject({ queue_length: 1, last_task: 'next' });
    const listed = (await callElsewhere(fleet, 'list_agents'))['agents'];
    expect(listed).toMatchObject([{ queue_length: 1, last_task: 'next' }]);
    if (process.platform === 'linux') {
      const own = new Set(processesOf(workspace_id));
      expect(processesNaming(fleet.directory).filter((pid) => !own.has(pid))).toEqual([]);
    }
    writeFileSync(file(fleet, 'go'), '');
    await waitIdle(ask, 'shared');
    await callElsewhere(fleet, 'delete_agent', { agent_name: 'shared' });
    expect(await agentsOf(ask)).toEqual([]);
  });

  it('see metadata in the very next look [SC-005]', async ({ fleet, ask }) => {
    await ask('create_agent', { project: 'Setup', name: 'tagged', task: 'x' });
    await using other = openFleet({ env: fleet.env, cwd: fleet.directory });
    const others = askAs(other.fleet);
    const key = 'fleet_mcp_round';
    for (let round = 0; round < 10; round++) {
      const [writer, reader] = round % 2 === 0 ? [ask, others] : [others, ask];
      await writer('set_agent_metadata', { agent_name: 'tagged', key, value: String(round) });
      expect((await agentOf(reader, 'tagged')).fleet_metadata[key]).toBe(String(round));
    }
    await callElsewhere(fleet, 'set_agent_metadata', { agent_name: 'tagged', key, value: 'elsewhere' });
    expect((await agentOf(ask, 'tagged')).fleet_metadata[key]).toBe('elsewhere');
    await ask('set_agent_metadata', { agent_name: 'tagged', key, value: 'here' });
    const { agent } = await callElsewhere(fleet, 'show_agent', { agent_name: 'tagged' });
    expect((agent as AgentView).fleet_metadata[key]).toBe('here');
  });
});
