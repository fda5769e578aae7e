import { existsSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  idleAgent,
  signalFile,
  until,
  waitIdle,
  type Answer,
} from '../support/fleets/fleet-under-test.ts';
import { script } from '../support/script.ts';
import type { Subject } from './subject.ts';

const agent_name = 'cat';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** What every backend promises of stop, restart and delete. */
export function lifecycleContract(subject: Subject): void {
  describe('lifecycle', () => {
    const { ask } = subject;
    const status = async (): Promise<string> => (await agentOf(ask, agent_name)).status;
    const stopped = (): Promise<AgentView> =>
      until(
        () => agentOf(ask, agent_name),
        (agent) => agent.status === 'stopped',
      );

    beforeAll(() => idleAgent(ask, agent_name));

    it('stops and restarts an agent, which keeps its workspace [T-restart_agent-output, AGENT-workspace-id]', async () => {
      const { workspace_id } = await agentOf(ask, agent_name);
      expect(workspace_id).toMatch(UUID);
      const stop = await ask('stop_agent', { agent_name });
      expect(stop).toEqual({
        agent_name,
        workspace_id,
        status: expect.stringMatching(/^stopp(ed|ing)$/),
        message: expect.stringContaining(agent_name),
      });
      expect(await stopped()).toMatchObject({ workspace_id });
      const restart = await ask('restart_agent', { agent_name });
      expect(restart).toEqual({
        agent_name,
        workspace_id,
        status: expect.stringMatching(/^(pending|starting|busy|idle)$/),
        message: expect.stringContaining(agent_name),
      });
      await waitIdle(ask, agent_name);
      expect(await agentOf(ask, agent_name)).toMatchObject({ status: 'idle', workspace_id });
      await ask('start_agent_task', { agent_name, task_description: 'work' });
      await waitIdle(ask, agent_name);
      const listed = await agentsOf(ask);
      expect(listed.find(({ name }) => name === agent_name)?.workspace_id).toBe(workspace_id);
      expect(new Set(listed.map((agent) => agent.workspace_id)).size).toBe(listed.length);
      for (const agent of listed) expect(agent.workspace_id).toMatch(UUID);
    });

    it('answers a change with what is true after it [STORE-query-back]', async () => {
      const [begun, go] = ['begun-life', 'go-life'].map((name) => signalFile(subject.fleet(), name));
      const task_description = script({ write: String(begun) }, { hold: String(go) });
      const started = await ask('start_agent_task', { agent_name, task_description });
      const { id, state } = started['task'] as Answer;
      expect(await agentOf(ask, agent_name)).toMatchObject({ status: started['agent_status'] });
      expect(started['agent_status']).toBe('busy');
      expect((await history(ask, agent_name))[0]).toMatchObject({ id, state });

      const key = 'fleet_mcp_note';
      const { value } = await ask('set_agent_metadata', { agent_name, key, value: 'seen' });
      expect((await agentOf(ask, agent_name)).fleet_metadata[key]).toBe(value);

      await until(async () => existsSync(String(begun)), Boolean);
      const canceled = await ask('cancel_agent_task', { agent_name });
      expect(canceled).toMatchObject({ task: { id, state: 'canceled' }, agent_status: 'idle' });
      expect(await agentOf(ask, agent_name)).toMatchObject({ status: 'idle' });
      expect((await history(ask, agent_name))[0]).toMatchObject({ id, state: 'canceled' });

      const stop = await ask('stop_agent', { agent_name });
      expect(stop['status']).toBe('stopped');
      expect(await status()).toBe('stopped');
      const restart = await ask('restart_agent', { agent_name });
      expect(['pending', 'starting', 'idle']).toContain(restart['status']);
      expect(['pending', 'starting', 'idle']).toContain(await status());
      await waitIdle(ask, agent_name);
    });

    it('deletes an agent, which is gone from every list and leaves its name free [US4-3]', async () => {
      const { workspace_id } = await agentOf(ask, agent_name);
      expect(await ask('delete_agent', { agent_name })).toEqual({
        agent_name,
        workspace_id,
        message: expect.stringContaining(agent_name),
        kept: null,
      });
      expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain(agent_name);
      expect(await agentsOf(ask, { status_filter: 'deleted' })).toEqual([]);
      expect(await agentsOf(ask, { status_filter: 'deleting' })).toEqual([]);
      expect((await failure(ask('show_agent', { agent_name }))).code).toBe('NOT_FOUND');
      const again = await idleAgent(ask, agent_name.toUpperCase());
      expect(again.name).toBe(agent_name.toUpperCase());
      expect(again.workspace_id).not.toBe(workspace_id);
      expect(await history(ask, agent_name)).toHaveLength(1);
    });
  });
}
