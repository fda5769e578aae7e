import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askAs, idleAgent, until, type Ask } from '../support/fleets/fleet-under-test.ts';
import {
  MCP_CONNECTIONS,
  openInterfaces,
  type McpConnection,
  type OpenInterfaces,
} from './open-interfaces.ts';
import { withoutAsOf } from '../support/without-as-of.ts';

let interfaces: OpenInterfaces;
let ask: Ask;
beforeAll(async () => {
  interfaces = await openInterfaces();
  ask = askAs(interfaces.fleet.fleet);
  await Promise.all([idleAgent(ask, 'Sony', { task: 'say it' }), idleAgent(ask, 'papi')]);
});
afterAll(() => interfaces[Symbol.asyncDispose]());

const clients = (connections: readonly McpConnection[] = MCP_CONNECTIONS) =>
  Promise.all(connections.map((connection) => interfaces.client(connection)));

describe('resources', () => {
  it('hold the list, an agent and its log [MCP-resources]', async () => {
    const list = withoutAsOf(await ask('list_agents'));
    const agent = withoutAsOf(await ask('show_agent', { agent_name: 'sony' }));
    const { logs } = await ask('show_agent_log', { agent_name: 'sony', page_size: 100 });
    expect(logs).toContainEqual(expect.objectContaining({ message: 'did: say it' }));
    for (const client of await clients()) {
      expect(await client.resources()).toEqual([
        'fleet://agents',
        'fleet://agents/{name}',
        'fleet://agents/{name}/log',
      ]);
      expect(withoutAsOf(await client.read('fleet://agents'))).toEqual(list);
      for (const name of ['Sony', 'sony']) {
        expect(withoutAsOf(await client.read(`fleet://agents/${name}`))).toEqual(agent);
        expect(await client.read(`fleet://agents/${name}/log`)).toMatchObject({ agent_name: 'Sony', logs });
      }
    }
  });

  it('that are not there are an error that names them', async () => {
    for (const client of await clients()) {
      for (const uri of [
        'fleet://agents/nobody',
        'fleet://agents/nobody/log',
        'fleet://agents/--all',
        'fleet://agents/%2e%2e%2f',
        'fleet://agents/%',
        'fleet://agents/sony/tasks',
        'fleet://elsewhere',
        'file:///etc/passwd',
        'sony',
        '',
      ]) {
        await expect(client.read(uri), uri).rejects.toMatchObject({ code: -32602, data: { uri } });
      }
    }
  });

  const told = async (connection: McpConnection): Promise<void> => {
    const client = await interfaces.client(connection);
    for (const uri of ['fleet://agents/sony', 'fleet://agents/sony/log', 'fleet://agents']) {
      const updates: string[] = [];
      await client.subscribe(uri, (changed) => void updates.push(changed));
      // Changes by somebody else, in another process.
      const key = 'fleet_mcp_note';
      await ask('set_agent_metadata', { agent_name: 'papi', key, value: uri });
      await ask('set_agent_metadata', { agent_name: 'sony', key, value: uri });
      await until(
        async () => updates,
        (seen) => seen.some((each) => each.toLowerCase() === uri),
      );
      expect(updates.filter((each) => each.includes('papi'))).toEqual([]);
    }
  };

  it('tell subscribers of the old era when they change [MCP-resource-updates]', async () => {
    for (const connection of MCP_CONNECTIONS.filter(({ kind }) => kind !== 'SDK v2, modern era')) {
      await told(connection);
      expect((await interfaces.client(connection)).era).toBe('legacy');
    }
  });

  it('tell listeners of the new era when they change [MCP-subscriptions-listen]', async () => {
    for (const connection of MCP_CONNECTIONS.filter(({ kind }) => kind === 'SDK v2, modern era')) {
      await told(connection);
      expect((await interfaces.client(connection)).era).toBe('modern');
    }
  });
});

describe('completions', () => {
  it('are given for the names of agents, projects and roles [MCP-completions]', async () => {
    const delegate = { type: 'ref/prompt', name: 'delegate_spec' } as const;
    const unblock = { type: 'ref/prompt', name: 'unblock_agent' } as const;
    const uris = ['fleet://agents/{name}', 'fleet://agents/{name}/log'];
    for (const client of await clients()) {
      const complete = (ref: typeof delegate | typeof unblock, name: string, value: string, context = {}) =>
        client.complete({ ref, argument: { name, value }, context: { arguments: context } });
      for (const uri of uris) {
        const ref = { type: 'ref/resource', uri } as const;
        expect(await client.complete({ ref, argument: { name: 'name', value: '' } })).toEqual([
          'Sony',
          'papi',
        ]);
        expect(await client.complete({ ref, argument: { name: 'name', value: 'SO' } })).toEqual(['Sony']);
      }
      expect(await complete(unblock, 'agent_name', 'p')).toEqual(['papi']);
      expect(await complete(delegate, 'project', '')).toEqual(['DataOne', 'Setup']);
      expect(await complete(delegate, 'project', 'SET')).toEqual(['Setup']);
      expect(await complete(delegate, 'role', 's', { project: 'setup' })).toEqual(['scripted', 'shell']);
      expect(await complete(delegate, 'role', '')).toEqual(
        expect.arrayContaining(['coder', 'operator', 'manager', 'scripted']),
      );
      expect(await complete(delegate, 'spec', '')).toEqual([]);
    }
  });
});

describe('prompts', () => {
  it('are there to delegate a spec, review the fleet and unblock an agent [MCP-prompts]', async () => {
    for (const client of await clients()) {
      expect(await client.prompts()).toEqual(['delegate_spec', 'review_fleet', 'unblock_agent']);
      const spec = 'All is well.\n"Quoted"';
      const delegate = await client.prompt('delegate_spec', { project: 'Setup', spec, role: 'shell' });
      for (const part of ['"Setup"', '"shell"', spec, 'create_agent', 'start_agent_task'])
        expect(delegate).toContain(part);
      expect(await client.prompt('review_fleet', {})).toContain('list_agents');
      expect(await client.prompt('unblock_agent', { agent_name: 'sony' })).toContain('"sony"');
      await expect(client.prompt('unblock_agent', {})).rejects.toThrow('agent_name');
      await expect(client.prompt('no_prompt', {})).rejects.toThrow('"no_prompt"');
    }
  });
});
