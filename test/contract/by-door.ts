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

/** The contract by one door; each has a file of its own, so that they run side by side. */
export function byDoor({ kind, over }: DoorUnderTest): void {
  describe(`the local backend, by MCP over ${over} with ${kind}`, () => {
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
}
