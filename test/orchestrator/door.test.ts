import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { MCP_DOORWAYS, type McpDoorway } from '../doors/open-doors.ts';
import { serveFleet, type ServedFleet } from '../support/fleet-process.ts';
import type { LocalFleet } from '../support/local-fleet.ts';
import { connectClient, type McpClient } from '../support/mcp-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  fleet = fleetWith({ lab: upstream('plain') });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

function client({ kind, over }: McpDoorway): Promise<McpClient> {
  return connectClient(kind, over === 'HTTP' ? served : { env: fleet.env });
}

describe('a tool of an upstream server', () => {
  it.each(MCP_DOORWAYS)('is listed and called: $kind over $over', async (doorway) => {
    await using connected = await client(doorway);
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
