import { describe, expect } from 'vitest';
import { fleetTest } from '../support/fleets/fleet-test.ts';
import {
  agentOf,
  agentsOf,
  failure,
  idleAgent,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { heldTask } from './held-task.ts';

const it = fleetTest();
it.beforeAll(async ({ ask }) => {
  await idleAgent(ask, 'sony');
});

describe('set_agent_metadata', () => {
  it('answers what it set, and removes a key with null [OP-set_agent_metadata]', async ({ ask }) => {
    const key = 'fleet_mcp_ticket.no-1';
    expect(await set(ask, key, 'ABC-1')).toEqual({ agent_name: 'sony', key, value: 'ABC-1' });
    expect((await metadata(ask))[key]).toBe('ABC-1');
    expect(await set(ask, key, '')).toEqual({ agent_name: 'sony', key, value: '' });
    expect((await metadata(ask))[key]).toBe('');
    expect(await set(ask, key, null)).toEqual({ agent_name: 'sony', key, value: null });
    expect(await metadata(ask)).not.toHaveProperty([key]);
    expect(await set(ask, key, null)).toEqual({ agent_name: 'sony', key, value: null });
  });

  it('refuses a key without the prefix and those that the fleet keeps [OP-set_agent_metadata-key]', async ({
    ask,
  }) => {
    const before = await metadata(ask);
    const own = ['agent_name', 'role', 'project', 'agent_spec', 'current_task'].map(
      (each) => `fleet_mcp_${each}`,
    );
    for (const key of [...own, 'ticket', 'FLEET_MCP_ticket', 'fleet_mcp_', 'fleet_mcp_a b', 'xfleet_mcp_a']) {
      for (const value of ['x', null]) {
        const error = await failure(set(ask, key, value));
        expect([key, error.code, error.details.field]).toEqual([key, 'INVALID_INPUT', 'key']);
      }
    }
    expect(await metadata(ask)).toEqual(before);
  });

  it('refuses a key over 256 characters and a value over 4 KiB [OP-set_agent_metadata-limits]', async ({
    ask,
  }) => {
    const longest = `fleet_mcp_${'k'.repeat(246)}`;
    await set(ask, longest, 'v'.repeat(4096));
    expect((await metadata(ask))[longest]).toHaveLength(4096);
    for (const [key, value, field] of [
      [`${longest}k`, 'v', 'key'],
      [`fleet_mcp_${'k'.repeat(5000)}`, 'v', 'key'],
      [longest, 'v'.repeat(4097), 'value'],
      [longest, 'ä'.repeat(2049), 'value'],
      [longest, 'v'.repeat(2_000_000), 'value'],
    ] as const) {
      const error = await failure(set(ask, key, value));
      expect([error.code, error.details.field]).toEqual(['INVALID_INPUT', field]);
    }
    expect((await metadata(ask))[longest]).toBe('v'.repeat(4096));
    expect(await set(ask, longest, 'ä'.repeat(2048))).toMatchObject({ value: 'ä'.repeat(2048) });
  });

  it('keeps what was set while the agent is stopped and starts nothing', async ({ ask }) => {
    await ask('stop_agent', { agent_name: 'sony' });
    await set(ask, 'fleet_mcp_note', 'while stopped');
    expect(await agentOf(ask, 'sony')).toMatchObject({
      status: 'stopped',
      fleet_metadata: { fleet_mcp_note: 'while stopped' },
    });
  });
});

describe('a list', () => {
  it('cuts texts at 160 characters, and the details have them whole [AGENT-list-cut]', async ({
    fleet,
    ask,
  }) => {
    const long = `${'a'.repeat(158)}😀${'b'.repeat(500)}`;
    await ask('create_agent', { project: 'Setup', task: long, name: 'lengthy' });
    const listed = (await agentsOf(ask)).find(({ name }) => name === 'lengthy');
    expect(listed?.last_task).toBe(`${'a'.repeat(158)}…`);
    expect((await agentOf(ask, 'lengthy')).last_task).toBe(long);
    await waitIdle(ask, 'lengthy');
    const report = `first ${'c'.repeat(1000)}`;
    const task = await heldTask(ask, {
      directory: fleet.directory,
      agent_name: 'lengthy',
      before: [{ report, state: 'failure' }],
    });
    expect(await agentOf(ask, 'lengthy')).toMatchObject({ current_task: task.message, last_task: report });
    const busy = (await agentsOf(ask)).find(({ name }) => name === 'lengthy');
    expect(busy?.current_task).toBe(`${task.message.slice(0, 159)}…`);
    expect(busy?.last_task).toBe(`${report.slice(0, 159)}…`);
    task.release();
    await waitIdle(ask, 'lengthy');
    const idle = (await agentsOf(ask)).find(({ name }) => name === 'lengthy');
    expect(idle?.status_reason.length).toBeLessThanOrEqual(160);
    expect((await agentOf(ask, 'lengthy')).last_task).toBe(report);
  });

  it('leaves out spec and metadata of the fleet, which the details have [AGENT-list-leaves-out]', async ({
    ask,
  }) => {
    for (const agent of await agentsOf(ask)) {
      expect(agent).not.toHaveProperty('spec');
      expect(agent).not.toHaveProperty('fleet_metadata');
      const shown = await agentOf(ask, agent.name);
      expect(typeof shown.spec).toBe('string');
      expect(shown.fleet_metadata['fleet_mcp_agent_name']).toBe(agent.name);
    }
  });

  it('is whole without paging, and a page of all that match with it [OP-list_agents-paging]', async ({
    ask,
  }) => {
    await Promise.all([
      ask('create_agent', { project: 'DataOne', task: 'hello', name: 'paged-1' }),
      ask('create_agent', { project: 'DataOne', task: 'hello', name: 'paged-2' }),
      ask('create_agent', { project: 'DataOne', task: 'hello', name: 'paged-3' }),
    ]);
    const page = async (input: object): Promise<unknown[]> => {
      const answer = await ask('list_agents', { ...input });
      return [(answer['agents'] as { name: string }[]).map(({ name }) => name), answer['total_count']];
    };
    const project_filter = 'DataOne';
    const [all, count] = await page({});
    expect(all).toEqual(expect.arrayContaining(['paged-1', 'paged-2', 'paged-3', 'sony']));
    expect(count).toBe((all as string[]).length);
    expect(await page({ project_filter, page: 1, page_size: 2 })).toEqual([['paged-1', 'paged-2'], 3]);
    expect(await page({ project_filter, page: 2, page_size: 2 })).toEqual([['paged-3'], 3]);
    expect(await page({ project_filter, page: 3, page_size: 2 })).toEqual([[], 3]);
    expect(await page({ page: 1, page_size: 1 })).toEqual([(all as string[]).slice(0, 1), count]);
    expect(await page({ page: 2, page_size: 1 })).toEqual([(all as string[]).slice(1, 2), count]);
    for (const bad of [{ page: 0 }, { page_size: 0 }, { page_size: 101 }, { page: 1.5 }])
      expect((await failure(ask('list_agents', bad))).code).toBe('INVALID_INPUT');
  });
});

function set(ask: Ask, key: string, value: string | null): Promise<unknown> {
  return ask('set_agent_metadata', { agent_name: 'SONY', key, value });
}

async function metadata(ask: Ask): Promise<Record<string, string>> {
  return (await agentOf(ask, 'sony')).fleet_metadata;
}
