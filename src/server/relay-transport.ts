import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Caller } from '../domain/principal.ts';
import {
  isObject,
  isRpcMessage,
  isRpcNotification,
  isRpcRequest,
  isRpcResponse,
  metaOf,
  paramsOf,
  type JsonObject,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
} from '../orchestrator/json-rpc.ts';
import { CAPABILITIES_META, PROTOCOL_META } from '../orchestrator/protocol.ts';
import { RpcError, WireLost } from '../orchestrator/rpc-error.ts';
import { afterClose } from './after-close.ts';
import type { RelayClient } from './relay-client.ts';
import type { ToolRelay } from './tool-relay.ts';

/** Takes calls of upstream tools off a connection before the server on it sees them, and answers them itself: the server
 *  would drop what it does not know. To be called once the server is attached. */
export function relayTransport(transport: Transport, relay: ToolRelay, caller: Caller): void {
  new RelayedTransport(transport, relay, caller).begin();
}

class RelayedTransport {
  readonly #transport: Transport;
  readonly #relay: ToolRelay;
  readonly #caller: Caller;
  readonly #running = new Map<RpcId, AbortController>();
  readonly #asked = new Map<RpcId, PromiseWithResolvers<JsonObject>>();
  #capabilities: JsonObject = {};
  #next = 1;

  constructor(transport: Transport, relay: ToolRelay, caller: Caller) {
    this.#transport = transport;
    this.#relay = relay;
    this.#caller = caller;
  }

  begin(): void {
    const transport = this.#transport;
    const deliver = transport.onmessage;
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it is no EventTarget
    transport.onmessage = (message, extra) => {
      if (!isRpcMessage(message) || !this.#take(message)) deliver?.(message, extra);
    };
    afterClose(transport, () => {
      for (const running of this.#running.values()) running.abort();
      for (const { reject } of this.#asked.values()) reject(new WireLost('the client has gone'));
    });
  }

  /** True when the message was for the relay. */
  #take(message: RpcMessage): boolean {
    if (isRpcRequest(message)) {
      const params = paramsOf(message);
      if (message.method === 'initialize' && isObject(params['capabilities'])) {
        this.#capabilities = params['capabilities'];
      }
      if (message.method !== 'tools/call' || !this.#relay.knows(String(params['name']))) return false;
      void this.#answer(message, params);
      return true;
    }
    if (isRpcResponse(message)) return this.#answered(message);
    if (!isRpcNotification(message) || message.method !== 'notifications/cancelled') return false;
    const { requestId } = paramsOf(message);
    const running =
      typeof requestId === 'string' || typeof requestId === 'number'
        ? this.#running.get(requestId)
        : undefined;
    running?.abort();
    return running !== undefined;
  }

  #answered(message: RpcMessage & { readonly id: RpcId }): boolean {
    const asked = this.#asked.get(message.id);
    this.#asked.delete(message.id);
    const { result, error } = message;
    if (isObject(result)) asked?.resolve(result);
    else asked?.reject(RpcError.from(error));
    return asked !== undefined;
  }

  async #answer({ id }: RpcRequest, params: JsonObject): Promise<void> {
    const ending = new AbortController();
    this.#running.set(id, ending);
    const answer = await this.#relay
      .call(params, this.#client(id, params, ending.signal))
      .then((result) => ({ result }))
      .catch((thrown: unknown) => ({ error: RpcError.from(thrown).toJson() }));
    this.#running.delete(id);
    if (!ending.signal.aborted) this.#send({ id, ...answer }, id);
  }

  #client(id: RpcId, params: JsonObject, signal: AbortSignal): RelayClient {
    const meta = metaOf(params);
    const said = meta[CAPABILITIES_META];
    const modern = meta[PROTOCOL_META] !== undefined;
    return {
      caller: this.#caller,
      era: modern ? 'modern' : 'legacy',
      capabilities: modern && isObject(said) ? said : this.#capabilities,
      signal,
      tell: (method, told) => this.#send({ method, params: told }, id),
      ...(modern
        ? {}
        : { ask: (method, question, asking) => this.#ask({ method, params: question, id, asking }) }),
    };
  }

  #ask({
    method,
    params,
    id,
    asking,
  }: {
    method: string;
    params: JsonObject;
    id: RpcId;
    asking: AbortSignal;
  }) {
    const asked = Promise.withResolvers<JsonObject>();
    const own = `fleet-${this.#next++}`;
    this.#asked.set(own, asked);
    asking.addEventListener('abort', () => {
      if (!this.#asked.delete(own)) return;
      this.#send({ method: 'notifications/cancelled', params: { requestId: own } }, id);
      asked.reject(new WireLost('nobody waits for the answer any more'));
    });
    this.#send({ id: own, method, params }, id);
    return asked.promise;
  }

  /** A client that is gone is told nothing. */
  #send(message: JsonObject, relatedRequestId: RpcId): void {
    const whole = { jsonrpc: '2.0', ...message } as unknown as JSONRPCMessage;
    this.#transport.send(whole, { relatedRequestId }).catch(() => {});
  }
}
