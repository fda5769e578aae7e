import { describe, expect } from 'vitest';
import { askableClient, type AskableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain'), lib: upstream('library') }));
it.beforeAll(async ({ fleet }) => {
  fleet.configure((config) => {
    config['tool_search'] = true;
    config['views'] = { lib: { servers: ['lib'] } };
  });
});

const found = async (client: AskableClient, query: string): Promise<readonly string[]> => {
  const { structuredContent } = await client.call('search_tools', { query });
  return (structuredContent as { tools: { name: string }[] }).tools.map(({ name }) => name);
};

describe.each(['legacy', 'auto'] as const)('tools that are searched for: %s', (mode) => {
  it('are not listed, but found, described and called, as they would be by their names', async ({
    served,
  }) => {
    await using client = await askableClient(mode, served, () => ({
      action: 'accept',
      content: { allow: true },
    }));
    const names = (await client.client.listTools()).tools.map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['list_agents', 'search_tools', 'describe_tool', 'call_tool']),
    );
    expect(names.filter((name) => name.includes('__'))).toEqual([]);
    while ((await found(client, 'echo'))[0] !== 'lab__echo');
    expect(await found(client, 'nothing at all like this: zzz')).toEqual([]);
    const { structuredContent } = await client.call('describe_tool', { name: 'lab__echo' });
    expect(structuredContent).toMatchObject({
      tool: { name: 'lab__echo', inputSchema: { required: ['value'] } },
    });
    const call = (name: string, args: object) => client.call('call_tool', { name, arguments: args });
    expect((await call('lab__echo', { value: 'found' })).structuredContent).toEqual({ value: 'found' });
    expect((await call('lab__echo', {})).content[0]?.text).toContain('of lab__echo is not valid');
    expect((await call('lab__ech', {})).content[0]?.text).toContain('TOOL_NOT_FOUND');
    expect((await call('lab__drop', { what: 'it' })).content[0]?.text).toBe('dropped it');
    expect(client.questions).toEqual([expect.stringContaining('Allow lab__drop once')]);
    expect((await client.call('search_tools', {})).content[0]?.text).toContain('"field":"query"');
  });

  it('are those of the view alone', async ({ served }) => {
    const endpoint = { mcp_url: `${served.mcp_url}/lib`, token: served.token };
    await using client = await askableClient(mode, endpoint);
    while (!(await found(client, 'work')).includes('lib__work'));
    expect(await found(client, 'echo')).toEqual([]);
    const refused = await client.call('call_tool', { name: 'lab__echo', arguments: { value: 'x' } });
    expect(refused.content[0]?.text).toContain('TOOL_NOT_FOUND');
  });
});
