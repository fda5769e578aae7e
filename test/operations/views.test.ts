import { describe, expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import { openSelf } from '../../src/fleet/open-self.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  history,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { localFleet, SCRIPTED } from '../support/fleets/local-fleet.ts';
import { script } from '../support/script.ts';
import { heldTask } from './held-task.ts';

const PROMPT = 'You are the keeper of the word xyzzy-in-the-prompt.';
const it = fleetTest(() =>
  localFleet((config) => {
    config.roles['prompted'] = {
      agent: 'command',
      command: [process.execPath, SCRIPTED],
      system_prompt: PROMPT,
      description: 'Has a prompt',
    };
  }),
);
it.beforeAll(async ({ ask }) => {
  await Promise.all([idleAgent(ask, 'sony'), idleAgent(ask, 'secretive', { role: 'prompted' })]);
});

describe('what is shown of an agent', () => {
  it('is never a prompt, wherever one looks [AGENT-no-prompts]', async ({ fleet, ask }) => {
    const { workspace_id } = await agentOf(ask, 'secretive');
    const socket = agentPaths(fleet.home, workspace_id).selfSocket;
    const self = openSelf({ FLEET_SELF_SOCKET: socket, FLEET_AGENT: 'secretive' });
    const inside = askAs(self.fleet, self.caller);
    const agent_name = 'secretive';
    const answers: Answer[] = [
      await ask('create_agent', { project: 'Setup', role: 'prompted', task: 'hello', name: 'another' }),
      await ask('start_agent_task', { agent_name, task_description: script({ exit: 1 }) }),
      await ask('wait_for_agents', {}),
      await ask('list_agents'),
      await ask('show_agent', { agent_name }),
      await inside('show_agent', { agent_name }),
      await ask('list_agent_projects'),
      await ask('list_agent_roles', { project: 'Setup' }),
      { rows: await history(ask, agent_name), log: await logOf(ask, agent_name) },
      { events: fleet.fleet.events?.since('0', 1000), facts: (await fleet.fleet.facts(agent_name)).facts },
      { audit: fleet.opened.ledger.auditRows(1000) },
      await ask('restart_agent', { agent_name }),
      await ask('delete_agent', { agent_name: 'another' }),
    ];
    for (const answer of answers) {
      const text = JSON.stringify(answer);
      expect(text.length).toBeGreaterThan(50);
      expect(text).not.toContain('xyzzy-in-the-prompt');
      expect(text).not.toMatch(/"(ai_prompt|system_prompt)"/);
    }
  });

  it('has one sentence with the evidence for its status [AGENT-status-reason]', async ({ fleet, ask }) => {
    await waitIdle(ask, 'sony');
    expect((await agentOf(ask, 'sony')).status_reason).toBe('the last task ended: complete');
    const task = await heldTask(ask, {
      directory: fleet.directory,
      agent_name: 'sony',
      before: [{ report: 'I need\na human', state: 'failure' }],
    });
    expect((await agentOf(ask, 'sony')).status_reason).toContain(task.id);
    task.release();
    await waitIdle(ask, 'sony');
    const needy = (await agentOf(ask, 'sony')).status_reason;
    expect(needy).toMatch(/needs attention: I need.a human/s);
    expect(needy).not.toContain('\n');
    await ask('stop_agent', { agent_name: 'sony' });
    const stopped = await until(
      () => agentOf(ask, 'sony'),
      ({ status }) => status === 'stopped',
    );
    expect(stopped.status_reason).toContain('user:tester');
    await ask('restart_agent', { agent_name: 'sony' });
    await waitIdle(ask, 'sony');
  });

  it('was updated when its status, task or metadata changed, and by nothing else [AGENT-updated-at]', async ({
    fleet,
    ask,
  }) => {
    let last = '';
    const updated = async (): Promise<string> => (await agentOf(ask, 'sony')).updated_at;
    const moves = async (what: () => Promise<unknown>): Promise<void> => {
      const before = await updated();
      await until(
        async () => new Date().toISOString(),
        (now) => now > before,
      );
      await what();
      last = await updated();
      expect(last > before).toBe(true);
      expect((await agentsOf(ask)).find(({ name }) => name === 'sony')?.updated_at).toBe(last);
    };
    const stays = async (what: () => Promise<unknown>): Promise<void> => {
      await what();
      expect(await updated()).toBe(last);
    };
    await moves(() => ask('set_agent_metadata', { agent_name: 'sony', key: 'fleet_mcp_n', value: '1' }));
    await stays(() => ask('set_agent_metadata', { agent_name: 'sony', key: 'fleet_mcp_n', value: '1' }));
    await stays(() => ask('list_agents'));
    await stays(() => history(ask, 'sony'));
    let task = { release: () => {} };
    await moves(async () => {
      task = await heldTask(ask, {
        directory: fleet.directory,
        agent_name: 'sony',
        before: [{ say: 'a line' }],
      });
    });
    await stays(() =>
      until(
        () => logOf(ask, 'sony'),
        (log) => log.some(({ message }) => message === 'a line'),
      ),
    );
    await moves(async () => {
      task.release();
      await waitIdle(ask, 'sony');
    });
    await moves(async () => {
      await ask('start_agent_task', { agent_name: 'sony', task_description: script({ exit: 1 }) });
      await waitIdle(ask, 'sony');
    });
    await stays(() => ask('acknowledge_agent', { agent_name: 'sony' }));
  });
});
