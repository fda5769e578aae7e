import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/principal.ts';
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
} from '../../wire/json-rpc.ts';
import { CAPABILITIES_META, PROTOCOL_META } from '../../orchestrator/servers/protocol.ts';
import { RpcError, WireLost } from '../../wire/rpc-error.ts';
import { afterClose } from './after-close.ts';
import { logLevelIn, outcomeOf } from './modern-relay.ts';
import type { RelayClient } from '../../orchestrator/calls/relay-client.ts';
import type { ToolRelay } from '../../orchestrator/calls/tool-relay.ts';

/** Takes calls of upstream tools off a connection before the server on it sees them, and answers them itself: the server
 *  would drop what it does not know. To be called once the server is attached. */
export function relayTransport(transport: Transport, relay: ToolRelay, caller: Caller): AnswerCall {
  const relayed = new RelayedTransport(transport, relay, caller);
  relayed.begin();
  return (message, send, signal) => relayed.answer(message, send, signal);
}

/** Answers a call that came to the same client's connection by a shorter way. */
export type AnswerCall = (
  message: RpcRequest,
  send: (message: RpcMessage) => void,
  signal: AbortSignal,
) => Promise<void>;

class RelayedTransport {
  readonly #transport: Transport;
  readonly #relay: ToolRelay;
  readonly #caller: Caller;
  readonly #running = new Map<RpcId, AbortController>();
  readonly #asked = new Map<RpcId, PromiseWithResolvers<JsonObject>>();
  #capabilities: JsonObject = {};
  #logLevel = 'debug';
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
      if (message.method === 'logging/setLevel') this.#logLevel = String(params['level']);
      if (message.method !== 'tools/call' || !this.#relay.knows(String(params['name']))) return false;
      void this.answer(message, (whole) => this.#send(whole, message.id));
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

  async answer(message: RpcRequest, send: (message: RpcMessage) => void, gone?: AbortSignal): Promise<void> {
    const { id } = message;
    const params = paramsOf(message);
    const ending = new AbortController();
    const stop = (): void => ending.abort();
    gone?.addEventListener('abort', stop, { once: true });
    this.#running.set(id, ending);
    const answer = await outcomeOf(this.#relay, params, this.#client(params, ending.signal, send));
    this.#running.delete(id);
    gone?.removeEventListener('abort', stop);
    if (!ending.signal.aborted) send({ jsonrpc: '2.0', id, ...answer });
  }

  #client(params: JsonObject, signal: AbortSignal, send: (message: RpcMessage) => void): RelayClient {
    const meta = metaOf(params);
    const said = meta[CAPABILITIES_META];
    const modern = meta[PROTOCOL_META] !== undefined;
    return {
      caller: this.#caller,
      era: modern ? 'modern' : 'legacy',
      capabilities: modern && isObject(said) ? said : this.#capabilities,
      signal,
      ...(modern ? logLevelIn(params) : { logLevel: this.#logLevel }),
      tell: (method, told) => send({ jsonrpc: '2.0', method, params: told }),
      ...(modern
        ? {}
        : { ask: (method, question, asking) => this.#ask({ method, params: question }, asking, send) }),
    };
  }

  #ask(
    question: { readonly method: string; readonly params: JsonObject },
    asking: AbortSignal,
    send: (message: RpcMessage) => void,
  ): Promise<JsonObject> {
    const asked = Promise.withResolvers<JsonObject>();
    const id = `fleet-${this.#next++}`;
    this.#asked.set(id, asked);
    asking.addEventListener('abort', () => {
      if (!this.#asked.delete(id)) return;
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: id } });
      asked.reject(new WireLost('the request was canceled'));
    });
    send({ jsonrpc: '2.0', id, ...question });
    return asked.promise;
  }

  /** A client that is gone is told nothing. */
  #send(message: RpcMessage, relatedRequestId: RpcId): void {
    this.#transport.send(message as unknown as JSONRPCMessage, { relatedRequestId }).catch(() => {});
  }
}
