import { afterAll, beforeAll, describe } from 'vitest';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { stdioClient, type McpClient } from '../support/mcp-clients.ts';
import { contract } from './contract.ts';

describe('the local backend, by MCP on stdio', () => {
  const opened = new AsyncDisposableStack();
  let fleet: LocalFleet;
  let client: McpClient;

  beforeAll(async () => {
    fleet = opened.use(localFleet());
    client = opened.use(await stdioClient('SDK v2, modern era', fleet.env));
    // A client that knows the output schemas checks every answer against them.
    await client.tools();
  });
  afterAll(() => opened.disposeAsync());

  contract({ fleet: () => fleet, ask: (operation, input) => client.ask(operation, input) });
});
