import { describe, expect } from 'vitest';
import { MCP_CONNECTIONS, type McpConnection } from '../server/open-interfaces.ts';
import type { ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { connectClient, type McpClient } from '../support/mcp-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain') }));

function client(fleet: LocalFleet, served: ServedFleet, { kind, over }: McpConnection): Promise<McpClient> {
  return connectClient(kind, over === 'HTTP' ? served : { env: fleet.env });
}

describe('a tool of an upstream server', () => {
  it.for(MCP_CONNECTIONS)('is listed and called: $kind over $over', async (connection, { fleet, served }) => {
    await using connected = await client(fleet, served, connection);
    const answer = await connected.call('lab__echo', { value: 'hello' });
    expect([answer.isError, answer.text, answer.structuredContent]).toEqual([
      false,
      'hello',
      { value: 'hello' },
    ]);
    const names = (await connected.tools()).map(({ name }) => name);
    expect(names).toContain('lab__echo');
    expect(names).toContain('list_agents');
  });
});
