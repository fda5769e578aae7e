import { afterAll, beforeAll, describe } from 'vitest';
import { serveFleet } from '../support/fleet-process.ts';
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
  const opened = new AsyncDisposableStack();
  let fleet: LocalFleet;
  let client: McpClient;

  beforeAll(async () => {
    fleet = opened.use(localFleet());
    const served = over === 'HTTP' ? opened.use(await serveFleet(fleet.env)) : undefined;
    client = opened.use(await connectClient(kind, served ?? { env: fleet.env }));
    // A client that knows the output schemas checks every answer against them.
    await client.tools();
  });

  afterAll(() => opened.disposeAsync());

  contract({ fleet: () => fleet, ask: (operation, input) => client.ask(operation, input) });
});
