import { agentError } from '../servers/agent-error.ts';
import { quote } from '../../domain/values/errors.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { McpConnection } from '../servers/mcp-connection.ts';
import { serverKey, type ServerDefinition } from '../servers/server-definition.ts';
import type { ServersChange, ToolServers } from '../servers/tool-servers.ts';
import type { UpstreamPool } from './upstream-pool.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';
import type { Upstream } from './upstream.ts';

/** One user of the pool, who sees the servers that it declared and no others. */
export class Attachment implements ToolServers {
  readonly #pool: UpstreamPool;
  readonly #listeners = new Set<(change: ServersChange) => void>();
  #servers = new Map<string, Upstream>();

  constructor(pool: UpstreamPool) {
    this.#pool = pool;
  }

  connections(): readonly McpConnection[] {
    return [...this.#servers.values()].map((upstream) => upstream.snapshot);
  }

  async declare(definitions: readonly ServerDefinition[]): Promise<void> {
    const before = this.#servers;
    this.#servers = new Map(
      definitions.map((definition) => [definition.name, this.#pool.use(definition, this)]),
    );
    const kept = new Set(definitions.map(serverKey));
    const gone = [...before.values()].filter(({ definition }) => !kept.has(serverKey(definition)));
    for (const { definition } of gone) this.#pool.leave(definition, this, { now: true });
    const changed = new Set([...before.keys(), ...this.#servers.keys()]);
    for (const server of changed) {
      if (before.get(server) !== this.#servers.get(server)) this.tell({ kind: 'connection', server });
    }
  }

  async request(server: string, request: UpstreamRequest): Promise<JsonObject> {
    return await this.#named(server).request(request);
  }

  async isWell(server: string): Promise<boolean> {
    return this.#named(server).isWell();
  }

  async wake(server: string): Promise<void> {
    await this.#named(server).wake();
  }

  async retry(server: string): Promise<void> {
    await this.#named(server).retry();
  }

  subscribe(listener: (change: ServersChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  tell(change: ServersChange): void {
    for (const listener of this.#listeners) listener(change);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const servers = [...this.#servers.values()];
    this.#servers = new Map();
    this.#listeners.clear();
    for (const { definition } of servers) this.#pool.leave(definition, this, { now: false });
  }

  #named(server: string): Upstream {
    const upstream = this.#servers.get(server);
    if (upstream !== undefined) return upstream;
    const names = [...this.#servers.keys()];
    throw agentError(
      'AGENT_NOT_FOUND',
      `There is no MCP server ${quote(server)}. There are: ${names.join(', ') || 'none'}.`,
      { field: 'server', servers: names },
    );
  }
}
