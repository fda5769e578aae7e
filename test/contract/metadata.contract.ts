import { beforeAll, describe, expect, it } from 'vitest';
import { agentOf, agentsOf, idleAgent } from '../support/fleets/fleet-under-test.ts';
import type { Subject } from './subject.ts';

const agent_name = 'keeper';

/** What every backend promises of the key-values of an agent. */
export function metadataContract(subject: Subject): void {
  describe('metadata', () => {
    const { ask } = subject;
    const set = (key: string, value: string | null) => ask('set_agent_metadata', { agent_name, key, value });
    const shown = async () => (await agentOf(ask, agent_name)).fleet_metadata;

    beforeAll(() => idleAgent(ask, agent_name));

    it('shows every key that was set, until it is removed [FR-021]', async () => {
      const values = {
        fleet_mcp_ticket: 'ABC-1',
        'fleet_mcp_a.b-c_D': 'ä „quoted“ {"x": 1}\nnext line',
        fleet_mcp_empty: '',
        fleet_mcp_long: 'x'.repeat(4096),
      };
      for (const [key, value] of Object.entries(values)) {
        expect(await set(key, value)).toEqual({ agent_name, key, value });
      }
      expect(await shown()).toMatchObject(values);
      await set('fleet_mcp_ticket', null);
      expect(await shown()).not.toHaveProperty('fleet_mcp_ticket');
      expect(await shown()).toHaveProperty('fleet_mcp_empty', '');
    });

    it('shows the pull request of an agent, its status and its checks [FR-022, FR-023, FR-024]', async () => {
      const url = 'https://example.com/team/setup/pull/12';
      await set('fleet_mcp_pull_request_url', url);
      expect(await agentOf(ask, agent_name)).toMatchObject({
        pull_request: { url, status: null, check_status: null },
        fleet_metadata: { fleet_mcp_pull_request_url: url },
      });
      for (const status of ['draft', 'open', 'merged', 'closed']) {
        await set('fleet_mcp_pull_request_status', status);
        expect(await agentOf(ask, agent_name)).toMatchObject({
          pull_request: { url, status },
          fleet_metadata: { fleet_mcp_pull_request_status: status },
        });
      }
      for (const check_status of ['pending', 'failing', 'passing', 'none']) {
        await set('fleet_mcp_pull_request_check_status', check_status);
        expect(await agentOf(ask, agent_name)).toMatchObject({
          pull_request: { url, status: 'closed', check_status },
          fleet_metadata: { fleet_mcp_pull_request_check_status: check_status },
        });
      }
    });

    it('shows an agent whatever its pull request address is [EDGE-05]', async () => {
      for (const url of ['not an address', '', 'javascript:alert(1)', 'https://', '\u0000\u202e/12', '/']) {
        await set('fleet_mcp_pull_request_url', url);
        await set('fleet_mcp_pull_request_status', 'sideways');
        expect(await agentOf(ask, agent_name)).toMatchObject({
          name: agent_name,
          fleet_metadata: { fleet_mcp_pull_request_url: url },
        });
        expect((await agentsOf(ask)).map(({ name }) => name)).toContain(agent_name);
        expect((await agentsOf(ask, { pull_request_filter: '99' })).map(({ name }) => name)).toEqual([]);
      }
    });
  });
}
