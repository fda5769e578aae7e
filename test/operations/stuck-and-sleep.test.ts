import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import type { AgentListView, AgentView } from '../../src/domain/agent.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { heldTask } from './held-task.ts';
import { processesOf } from './processes-of.ts';

const it = fleetTest(() =>
  localFleet((config) => {
    const { repository } = config.projects['Setup'] ?? {};
    config.projects['Hasty'] = { repository, default_role: 'scripted', stuck_after: '300ms' };
    config.projects['Sleepy'] = { repository, default_role: 'scripted', sleep_after: '200ms' };
  }),
);
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'hasty', { project: 'Hasty' });
});

describe('an agent without progress', () => {
  it('is stuck after the time of its project and needs attention until its task ends [EDGE-04]', async ({
    fleet,
    ask,
  }) => {
    const task = await heldTask(ask, { directory: fleet.directory, agent_name: 'hasty' });
    const stuck = await until(
      () => agentOf(ask, 'hasty'),
      (agent) => agent.stuck,
    );
    expect(stuck).toMatchObject({ status: 'busy', needs_attention: true, current_task: task.message });
    expect(stuck.status_reason).toContain('no progress');
    expect(await agentsOf(ask)).toContainEqual(
      expect.objectContaining({ name: 'hasty', stuck: true, needs_attention: true }),
    );
    task.release();
    await waitIdle(ask, 'hasty');
    expect(await agentOf(ask, 'hasty')).toMatchObject({ stuck: false, needs_attention: false });
  });

  it('ends a wait for attention by time alone [OP-wait-stuck]', async ({ fleet, ask }) => {
    const task = await heldTask(ask, { directory: fleet.directory, agent_name: 'hasty' });
    const facts = async (): Promise<number> => (await fleet.fleet.facts('hasty')).facts.length;
    const before = await facts();
    const answer = await ask('wait_for_agents', {
      agent_names: 'hasty',
      until: 'attention',
      timeout_seconds: 50,
    });
    expect(answer).toMatchObject({
      timed_out: false,
      agents: [{ name: 'hasty', stuck: true, needs_attention: true }],
    });
    expect(await facts()).toBe(before);
    task.release();
    await waitIdle(ask, 'hasty');
  });
});

describe('an agent that is stuck a second time', () => {
  it('is published again, though no fact was written between', async ({ fleet, ask }) => {
    const { events } = fleet.fleet;
    if (events === undefined) throw new Error('this fleet has no events');
    const start = events.latest();
    const told = () => events.since(start, 1000).filter(({ data }) => data['stuck'] === true);
    const talk = join(fleet.directory, 'talk');
    const go = join(fleet.directory, 'talked-go');
    await ask('start_agent_task', {
      agent_name: 'hasty',
      task_description: script({ hold: talk }, { say: 'here I am' }, { hold: go }),
    });
    await until(
      async () => told().length,
      (count) => count === 1,
    );
    writeFileSync(talk, '');
    await until(
      async () => told().length,
      (count) => count === 2,
    );
    writeFileSync(go, '');
    await waitIdle(ask, 'hasty');
    expect(told()).toHaveLength(2);
  });
});

describe('an agent that sleeps', () => {
  it.skipIf(process.platform !== 'linux')(
    'is idle and asleep, has no process, and wakes with its next task [ST-asleep]',
    async ({ fleet, ask }) => {
      const { workspace_id } = await idleAgent(ask, 'sleeper', { project: 'Sleepy' });
      const asleep = await sleeping(ask, 'sleeper');
      expect(asleep.status).toBe('idle');
      await until(
        async () => processesOf(fleet, workspace_id),
        (pids) => pids.length === 0,
      );
      await Promise.all([
        agentOf(ask, 'sleeper'),
        agentsOf(ask),
        history(ask, 'sleeper'),
        logOf(ask, 'sleeper'),
        ask('wait_for_agents', { agent_names: 'sleeper', timeout_seconds: 0 }),
      ]);
      await ask('set_agent_metadata', { agent_name: 'sleeper', key: 'fleet_mcp_note', value: 'still' });
      expect(processesOf(fleet, workspace_id)).toEqual([]);
      expect(await agentOf(ask, 'sleeper')).toMatchObject({
        status: 'idle',
        fleet_metadata: { fleet_mcp_note: 'still' },
      });

      const awake = join(fleet.directory, 'awake');
      const answer = await ask('start_agent_task', {
        agent_name: 'sleeper',
        task_description: script({ write: awake }, { hold: `${awake}-go` }),
      });
      expect(answer['agent_status']).toBe('busy');
      expect((await agentOf(ask, 'sleeper')).status_reason).not.toContain('asleep');
      expect(processesOf(fleet, workspace_id)).not.toEqual([]);
      writeFileSync(`${awake}-go`, '');
      await waitIdle(ask, 'sleeper');
      expect((await history(ask, 'sleeper')).map(({ state }) => state)).toEqual(['complete', 'complete']);
      await sleeping(ask, 'sleeper');
    },
  );

  it('can be stopped, restarted and deleted as any other', async ({ ask }) => {
    await ask('stop_agent', { agent_name: 'sleeper' });
    expect((await agentOf(ask, 'sleeper')).status).toBe('stopped');
    await ask('restart_agent', { agent_name: 'sleeper' });
    await sleeping(ask, 'sleeper');
    await ask('delete_agent', { agent_name: 'sleeper' });
    expect((await agentsOf(ask)).map(({ name }: AgentListView) => name)).not.toContain('sleeper');
  });
});

function sleeping(ask: Ask, name: string): Promise<AgentView> {
  return until(
    () => agentOf(ask, name),
    (agent) => agent.status === 'idle' && agent.status_reason.startsWith('asleep'),
  );
}
