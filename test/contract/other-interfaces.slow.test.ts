import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_CONNECTIONS, openInterfaces, type OpenInterfaces } from '../server/open-interfaces.ts';
import { askByCall, askByHttp } from '../server/three-interfaces.ts';
import {
  agentOf,
  agentsOf,
  failure,
  history,
  idleAgent,
  logOf,
  waitIdle,
  type Answer,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';

/** Every interface but MCP on stdio in the modern era, for which the whole contract runs. */
const INTERFACES: Readonly<Record<string, (interfaces: OpenInterfaces) => Promise<Ask>>> = {
  'fleet call': async ({ fleet }) => askByCall(fleet.env),
  'the HTTP API': async ({ served }) => askByHttp(served),
  ...Object.fromEntries(
    MCP_CONNECTIONS.filter(({ kind, over }) => over === 'HTTP' || kind !== 'SDK v2, modern era').map(
      (connection) => [
        `MCP over ${connection.over} with ${connection.kind}`,
        async (interfaces: OpenInterfaces): Promise<Ask> => {
          const client = await interfaces.client(connection);
          // A client that knows the output schemas checks every answer against them.
          await client.tools();
          return client.ask;
        },
      ],
    ),
  ),
};

let interfaces: OpenInterfaces;
beforeAll(async () => {
  interfaces = await openInterfaces();
});
afterAll(() => interfaces[Symbol.asyncDispose]());

describe.each(Object.entries(INTERFACES))('by %s', (title, connect) => {
  const agent_name = `worker-${Object.keys(INTERFACES).indexOf(title)}`;

  it('an agent is created, shown, given a task, stopped, restarted and deleted', async () => {
    const ask = await connect(interfaces);
    const { projects } = await ask('list_agent_projects');
    expect(new Set((projects as Answer[]).map(({ name }) => name))).toEqual(new Set(['DataOne', 'Setup']));

    expect(await idleAgent(ask, agent_name)).toMatchObject({
      name: agent_name,
      project: 'Setup',
      status: 'idle',
    });
    expect((await agentsOf(ask, { status_filter: 'idle' })).map(({ name }) => name)).toEqual([agent_name]);

    await ask('start_agent_task', { agent_name, task_description: 'say hello' });
    await waitIdle(ask, agent_name);
    expect((await history(ask, agent_name)).map(({ message, state }) => [message, state])).toEqual([
      ['say hello', 'complete'],
      ['get ready', 'complete'],
    ]);
    expect((await logOf(ask, agent_name)).length).toBeGreaterThan(0);

    await ask('set_agent_metadata', { agent_name, key: 'fleet_mcp_x', value: 'y' });
    await ask('stop_agent', { agent_name });
    expect(await agentOf(ask, agent_name)).toMatchObject({ status: 'stopped' });
    await ask('restart_agent', { agent_name });
    await waitIdle(ask, agent_name);

    await ask('delete_agent', { agent_name });
    expect((await agentsOf(ask)).map(({ name }) => name)).not.toContain(agent_name);
  });

  it('a refused call has its code and details', async () => {
    const ask = await connect(interfaces);
    const missing = await failure(ask('show_agent', { agent_name: 'nobody' }));
    expect(missing).toMatchObject({ code: 'NOT_FOUND', message: expect.stringContaining('"nobody"') });
    const invalid = await failure(ask('create_agent', { project: 'Setup', task: '' }));
    expect(invalid).toMatchObject({ code: 'INVALID_INPUT', details: { field: 'task' } });
  });
});
