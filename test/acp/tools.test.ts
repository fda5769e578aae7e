import { fileURLToPath } from 'node:url';
import { describe, expect } from 'vitest';
import { agentPaths } from '../../src/backends/local/records/paths.ts';
import { askableClient } from '../orchestrator/relay-clients.ts';
import { upstream } from '../orchestrator/upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import { agentOf, idleAgent, waitIdle } from '../support/fleets/fleet-under-test.ts';
import { acpFleet, logOf, steps } from './acp-fleet.ts';

const it = fleetTest(() => acpFleet({ helper: { view: 'echoes' } }));
it.beforeAll(async ({ fleet, ask }) => {
  fleet.configure((config) => {
    config['mcpServers'] = { lab: upstream('plain') };
    config['views'] = { echoes: { servers: ['lab'], tools: ['lab__echo', 'lab__drop'] } };
  });
  await idleAgent(ask, 'bo', { role: 'helper', task: steps({ say: 'hello' }) });
});

describe('an agent whose role has a view', () => {
  it('has the tools that the view shows, and no others', async ({ ask }) => {
    const input = { value: 'from inside' };
    const call = steps(
      { server: 'tools', call: 'lab__echo', input },
      { server: 'tools', call: 'lab__add', input: { a: 1, b: 2 } },
      { server: 'tools', call: 'list_agents', input: {} },
    );
    await ask('start_agent_task', { agent_name: 'bo', task_description: call });
    await waitIdle(ask, 'bo');
    const said = (await logOf(ask, 'bo')).map(({ message }) => message).join('\n');
    expect(said).toContain('lab__echo: from inside');
    expect(said).toMatch(/lab__add: .*NOT_FOUND/);
    expect(said).toMatch(/list_agents: .*NOT_FOUND/);
  });

  it('is never the person who allows its own call, however its client answers [MCP-approval-not-agent]', async ({
    fleet,
    ask,
  }) => {
    const agent = await agentOf(ask, 'bo');
    const { teamSocket } = agentPaths(fleet.home, agent.workspace_id);
    const bridge = fileURLToPath(new URL('../../src/runner/bridge-main.ts', import.meta.url));
    // As the agent would: it has a program of its own at the end of the same wire, which says yes to everything.
    for (const mode of ['legacy', 'auto'] as const) {
      const endpoint = { command: [process.execPath, bridge, teamSocket] };
      await using client = await askableClient(mode, endpoint, () => ({
        action: 'accept',
        content: { allow: true },
      }));
      const answer = await client.call('lab__drop', { what: 'everything' });
      expect(answer.content[0]?.text).toContain('APPROVAL_REQUIRED');
      expect(client.questions).toEqual([]);
    }
  });
});
