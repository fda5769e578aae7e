import { serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { localFleet, type LocalFleet, type TestConfig } from '../support/fleets/local-fleet.ts';
import { CLIENT_KINDS, connectClient, type ClientKind, type McpClient } from '../support/mcp-clients.ts';

/** A client at one of the two interfaces that speak MCP: `fleet mcp`, and /mcp of `fleet serve`. */
export interface McpConnection {
  readonly kind: ClientKind;
  readonly over: 'stdio' | 'HTTP';
}

export const MCP_CONNECTIONS: readonly McpConnection[] = CLIENT_KINDS.flatMap((kind) => [
  { kind, over: 'stdio' as const },
  { kind, over: 'HTTP' as const },
]);

export interface OpenInterfaces extends AsyncDisposable {
  readonly fleet: LocalFleet;
  readonly served: ServedFleet;
  /** A client of that kind, connected once. */
  client(connection: McpConnection): Promise<McpClient>;
  /** The same, which is listed all tools. */
  clientOfAll(connection: McpConnection): Promise<McpClient>;
}

/** A real fleet on this machine with `fleet serve` before it.
 *  @param prepare makes something beside it, which is taken away after it */
export async function openInterfaces(
  change?: (config: TestConfig) => void,
  prepare: (fleet: LocalFleet) => Promise<AsyncDisposable | undefined> = async () => undefined,
): Promise<OpenInterfaces> {
  const fleet = localFleet(change);
  const prepared = await prepare(fleet);
  const served = await serveFleet(fleet.env);
  const clients = new Map<string, Promise<McpClient>>();
  const connected = (key: string, connect: () => Promise<McpClient>): Promise<McpClient> => {
    const client = clients.get(key) ?? connect();
    clients.set(key, client);
    return client;
  };
  return {
    fleet,
    served,
    client: ({ kind, over }) =>
      connected(`${kind} ${over}`, () => connectClient(kind, over === 'HTTP' ? served : { env: fleet.env })),
    clientOfAll: ({ kind, over }) =>
      connected(`${kind} ${over} all`, () =>
        connectClient(
          kind,
          over === 'HTTP'
            ? { ...served, mcp_url: `${served.mcp_url}?tools=all` }
            : { env: fleet.env, args: ['--tools', 'all'] },
        ),
      ),
    [Symbol.asyncDispose]: async () => {
      for (const client of await Promise.allSettled(clients.values())) {
        if (client.status === 'fulfilled') await client.value[Symbol.asyncDispose]();
      }
      await served[Symbol.asyncDispose]();
      await prepared?.[Symbol.asyncDispose]();
      await fleet[Symbol.asyncDispose]();
    },
  };
}
