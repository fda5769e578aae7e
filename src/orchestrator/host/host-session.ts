import type { Socket } from 'node:net';
import { HOST_PROTOCOL, HostMoved, toWire } from './host-wire.ts';
import { isObject, metaOf, type JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import { RpcPeer, type ReceivedMessage } from '../../wire/rpc-peer.ts';
import type { ServerDefinition } from '../servers/server-definition.ts';
import { SocketChannel } from '../../wire/socket-channel.ts';
import type { ServersChange, ToolServers } from '../servers/tool-servers.ts';

export interface HostSessionParts {
  readonly servers: ToolServers;
  /** False when this host stays. */
  onRetire(): boolean;
  onClose(): void;
}

/** The host's side of one process that uses its servers. */
export class HostSession {
  readonly #peer: RpcPeer;
  readonly #parts: HostSessionParts;
  #calls = 0;
  #moved = false;

  constructor(connection: Socket, parts: HostSessionParts) {
    this.#parts = parts;
    this.#peer = new RpcPeer(new SocketChannel(connection), {
      onRequest: (received, signal) => this.#answer(received, signal),
      onNotification: () => {},
      onClose: () => {
        void parts.servers[Symbol.asyncDispose]();
        parts.onClose();
      },
    });
    parts.servers.subscribe((change) => this.#tell(change));
  }

  /** Calls that are being worked on. */
  get calls(): number {
    return this.#calls;
  }

  /** Tells the other process to use the next host. It closes the connection once its calls are answered. */
  moveAway(): void {
    if (this.#moved) return;
    this.#moved = true;
    this.#peer.tell('moved', {});
  }

  async close(): Promise<void> {
    await this.#peer.close();
  }

  async #answer({ method, params }: ReceivedMessage, signal: AbortSignal): Promise<JsonObject> {
    try {
      return await this.#do(method, params, signal);
    } catch (thrown) {
      throw toWire(thrown);
    }
  }

  async #do(method: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    if (this.#moved) throw new HostMoved('the host is about to end');
    const { servers } = this.#parts;
    const server = String(params['server']);
    switch (method) {
      case 'declare':
        if (params['protocol'] !== HOST_PROTOCOL)
          throw new RpcError(-32_600, 'another version hosts the tools');
        await servers.declare(definitionsIn(params['servers']));
        return {
          // Read when the answer is written, so that no change can be told before an older state.
          get connections() {
            return servers.connections();
          },
        };
      case 'request':
        return this.#request(server, params, signal);
      case 'well':
        return { well: await servers.isWell(server) };
      case 'wake':
        await servers.wake(server);
        return {};
      case 'retry':
        await servers.retry(server);
        return {};
      case 'retire':
        return { retires: this.#parts.onRetire() };
      default:
        throw new RpcError(-32_601, `there is no ${method}`);
    }
  }

  async #request(server: string, params: JsonObject, signal: AbortSignal): Promise<JsonObject> {
    const { progressToken } = metaOf(params);
    const { call, asks, logs } = params;
    this.#calls += 1;
    const answered = this.#parts.servers.request(server, {
      method: String(params['method']),
      params: isObject(params['params']) ? params['params'] : {},
      owner: String(params['owner']),
      repeatable: params['repeatable'] === true,
      signal,
      onProgress: (progress) => this.#peer.tell('notifications/progress', { ...progress, progressToken }),
      ...(logs === true
        ? { onLog: (log: JsonObject) => this.#peer.tell('logged', { call, params: log }) }
        : {}),
      ...(asks === true
        ? {
            onQuestion: (method: string, question: JsonObject, asked: AbortSignal) =>
              this.#peer.ask('question', { call, method, params: question }, { signal: asked }),
          }
        : {}),
    });
    return answered.finally(() => (this.#calls -= 1));
  }

  #tell(change: ServersChange): void {
    if (change.kind === 'notification') {
      this.#peer.tell('said', { ...change });
      return;
    }
    const connection = this.#parts.servers
      .connections()
      .find(({ serverName }) => serverName === change.server);
    if (connection !== undefined) this.#peer.tell('changed', { connection });
  }
}

/** Both ends are of one version, and of one user: what comes is what `declare` sent. */
function definitionsIn(value: unknown): readonly ServerDefinition[] {
  return Array.isArray(value) ? value.filter(isDefinition) : [];
}

function isDefinition(value: unknown): value is ServerDefinition {
  return isObject(value) && typeof value['name'] === 'string' && isObject(value['base']);
}
