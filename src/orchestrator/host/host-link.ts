import { connect, type Socket } from 'node:net';
import { once } from 'node:events';
import { agentError } from '../servers/agent-error.ts';
import { fromWire, HOST_PROTOCOL } from './host-wire.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import type { McpConnection } from '../servers/mcp-connection.ts';
import { RpcError, WireLost } from '../../wire/rpc-error.ts';
import { RpcPeer, type AskOptions, type ReceivedMessage } from '../../wire/rpc-peer.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
import { SocketChannel } from '../../wire/socket-channel.ts';
import type { ServersChange, ToolServers } from '../servers/tool-servers.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';

/** The upstream servers in another process, through its socket. */
export class HostLink implements ToolServers {
  /** Resolves when this link must not be used for anything new: its host is gone, or goes. */
  readonly over: Promise<void>;
  readonly #peer: RpcPeer;
  readonly #listeners = new Set<(change: ServersChange) => void>();
  readonly #calls = new Map<number, UpstreamRequest>();
  readonly #over = Promise.withResolvers<void>();
  #connections = new Map<string, McpConnection>();
  #next = 1;
  #leaving = false;

  /** Undefined when nobody hosts. */
  static async open(socket: string): Promise<HostLink | undefined> {
    const connection = connect(socket);
    try {
      await once(connection, 'connect');
      return new HostLink(connection);
    } catch {
      return undefined;
    }
  }

  private constructor(connection: Socket) {
    this.over = this.#over.promise;
    this.#peer = new RpcPeer(new SocketChannel(connection), {
      onRequest: (received, signal) => this.#question(received, signal),
      onNotification: (received) => this.#receive(received),
      onClose: () => this.#over.resolve(),
    });
  }

  connections(): readonly McpConnection[] {
    return [...this.#connections.values()];
  }

  async declare(servers: readonly ServerDefinition[]): Promise<void> {
    await this.#ask(
      'declare',
      { protocol: HOST_PROTOCOL, servers },
      { onResult: ({ connections }) => this.#declared(connections) },
    );
  }

  async request(server: string, request: UpstreamRequest): Promise<JsonObject> {
    const { method, params, owner, repeatable, signal, onProgress, onQuestion, onLog } = request;
    const call = this.#next++;
    this.#calls.set(call, request);
    try {
      return await this.#ask(
        'request',
        {
          server,
          call,
          method,
          params,
          owner,
          repeatable: repeatable === true,
          asks: onQuestion !== undefined,
          logs: onLog !== undefined,
        },
        { ...(signal === undefined ? {} : { signal }), onProgress: onProgress ?? (() => {}) },
      );
    } finally {
      this.#calls.delete(call);
      this.#closeWhenDone();
    }
  }

  async isWell(server: string): Promise<boolean> {
    return (await this.#ask('well', { server }))['well'] === true;
  }

  async wake(server: string): Promise<void> {
    await this.#ask('wake', { server });
  }

  async retry(server: string): Promise<void> {
    await this.#ask('retry', { server });
  }

  /** Asks the host to make room for this process. False when it stays. */
  async retireHost(): Promise<boolean> {
    return (await this.#ask('retire', {}))['retires'] !== false;
  }

  subscribe(listener: (change: ServersChange) => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#listeners.clear();
    await this.#peer.close();
  }

  /** Ends the link when the calls on it are answered. */
  leave(): void {
    this.#leaving = true;
    this.#listeners.clear();
    this.#closeWhenDone();
  }

  #declared(connections: unknown): void {
    const known = Array.isArray(connections) ? connections.filter(isConnection) : [];
    const before = this.#connections;
    this.#connections = new Map(known.map((connection) => [connection.serverName, connection]));
    for (const server of new Set([...before.keys(), ...this.#connections.keys()])) {
      this.#tell({ kind: 'connection', server });
    }
  }

  #closeWhenDone(): void {
    if (this.#leaving && this.#calls.size === 0) void this.#peer.close();
  }

  async #ask(
    method: string,
    params: JsonObject,
    options: Pick<AskOptions, 'signal' | 'onProgress' | 'onResult'> = {},
  ): Promise<JsonObject> {
    try {
      return await this.#peer.ask(method, params, options);
    } catch (thrown) {
      if (!(thrown instanceof WireLost)) throw fromWire(thrown);
      throw agentError(
        'AGENT_UNAVAILABLE',
        'The process that hosts the MCP servers of this fleet ended during the call. It is being restarted; the call may have taken effect.',
        { cause: thrown },
      );
    }
  }

  #question({ method, params }: ReceivedMessage, signal: AbortSignal): Promise<JsonObject> {
    const call = this.#calls.get(Number(params['call']));
    if (method !== 'question' || call?.onQuestion === undefined) {
      throw new RpcError(-32_601, 'the client does not support this request');
    }
    const question = isObject(params['params']) ? params['params'] : {};
    return call.onQuestion(String(params['method']), question, signal);
  }

  #receive({ method, params }: ReceivedMessage): void {
    if (method === 'moved') this.#over.resolve();
    if (method === 'logged' && isObject(params['params'])) {
      this.#calls.get(Number(params['call']))?.onLog?.(params['params']);
    }
    if (method === 'said') {
      const { server, method: said, params: with_ } = params;
      const notification = {
        server: String(server),
        method: String(said),
        params: isObject(with_) ? with_ : {},
      };
      this.#tell({ kind: 'notification', ...notification });
    }
    if (method === 'changed' && isConnection(params['connection'])) {
      const { connection } = params;
      if (!this.#connections.has(connection.serverName)) return;
      this.#connections.set(connection.serverName, connection);
      this.#tell({ kind: 'connection', server: connection.serverName });
    }
  }

  #tell(change: ServersChange): void {
    for (const listener of this.#listeners) listener(change);
  }
}

/** The host is a process of this fleet: what it sends is what it has. */
function isConnection(value: unknown): value is McpConnection {
  return isObject(value) && typeof value['serverName'] === 'string' && Array.isArray(value['tools']);
}
