import { afterAll, beforeAll, describe } from 'vitest';
import { serveFleet, type ServedFleet } from '../support/fleet-process.ts';
import { localFleet, type LocalFleet } from '../support/local-fleet.ts';
import { connectClient, type ClientKind, type McpClient } from '../support/mcp-clients.ts';
import { contract } from './contract.ts';

interface DoorUnderTest {
  readonly kind: ClientKind;
  /** `fleet mcp`, or /mcp of `fleet serve`. */
  readonly over: 'stdio' | 'HTTP';
}

const DOORS: readonly DoorUnderTest[] = [
  { kind: 'SDK v1', over: 'stdio' },
  { kind: 'SDK v2, legacy era', over: 'stdio' },
  { kind: 'SDK v2, modern era', over: 'stdio' },
  { kind: 'SDK v2, modern era', over: 'HTTP' },
];

describe.each(DOORS)('the local backend, by MCP over $over with $kind', ({ kind, over }) => {
  let fleet: LocalFleet;
  let served: ServedFleet | undefined;
  let client: McpClient;

  beforeAll(async () => {
    fleet = localFleet();
    served = over === 'HTTP' ? await serveFleet(fleet.env) : undefined;
    client = await connectClient(kind, served ?? { env: fleet.env });
    // A client that knows the output schemas checks every answer against them.
    await client.tools();
  });

  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await served?.[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  contract({ fleet: () => fleet, ask: (operation, input) => client.ask(operation, input) });
});
