import type { JsonObject } from '../../wire/json-rpc.ts';
import type { McpConnection } from './mcp-connection.ts';
import type { ServerDefinition } from './server-definition.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** Something about a server has changed, or it has said something to everybody. */
export type ServersChange =
  | { readonly kind: 'connection'; readonly server: string }
  | {
      readonly kind: 'notification';
      readonly server: string;
      readonly method: string;
      readonly params: JsonObject;
    };

/** The upstream servers of one user of them, wherever they are connected. */
export interface ToolServers extends AsyncDisposable {
  /** In the order in which they were declared. */
  connections(): readonly McpConnection[];
  /** Servers that are the same as before are not touched. */
  declare(definitions: readonly ServerDefinition[]): Promise<void>;
  request(server: string, request: UpstreamRequest): Promise<JsonObject>;
  isWell(server: string): Promise<boolean>;
  /** Connects a server that sleeps or was never started; answers when its tools are known. */
  wake(server: string): Promise<void>;
  /** The same, however often it has failed before: something has changed. */
  retry(server: string): Promise<void>;
  /** Returns the function that ends it. */
  subscribe(listener: (change: ServersChange) => void): () => void;
}
