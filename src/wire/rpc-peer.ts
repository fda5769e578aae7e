import type { Channel } from './channel.ts';
import {
  isObject,
  isRpcNotification,
  isRpcRequest,
  isRpcResponse,
  metaOf,
  paramsOf,
  type JsonObject,
  type RpcMessage,
  type RpcRequest,
} from './json-rpc.ts';
import { CallDeadline } from './call-deadline.ts';
import { MalformedAnswer, RpcError, WireLost, WireTimeout } from './rpc-error.ts';

export interface AskOptions {
  readonly signal?: AbortSignal;
  /** Ends the request when no answer or progress arrives for this long. */
  readonly timeout_ms?: number;
  /** Ends the request however much progress it makes. */
  readonly max_ms?: number;
  /** True: the other side is not told when the request is given up. */
  readonly quiet?: boolean;
  /** Told of the progress of the request, in order and before its result. */
  readonly onProgress?: (params: JsonObject) => void;
  /** Called with the result before any message that came after it is read; the promise resolves later than that. */
  readonly onResult?: (result: JsonObject) => void;
}

export interface ReceivedMessage {
  readonly method: string;
  readonly params: JsonObject;
}

export interface PeerHandlers {
  /** Answers a request of the other side. */
  onRequest(received: ReceivedMessage, signal: AbortSignal): Promise<JsonObject>;
  onNotification(received: ReceivedMessage): void;
  onClose(reason: string | undefined): void;
  /** True where an answer need not be an object, as in ACP: null counts as an empty one. */
  readonly takesNull?: boolean;
}

interface Pending {
  settle(outcome: { readonly result: JsonObject } | { readonly failed: Error }): void;
  extend(): void;
  readonly onProgress: ((params: JsonObject) => void) | undefined;
}

/** One side of a conversation in JSON-RPC. Messages are passed on whole and in the order in which they came. */
export class RpcPeer {
  readonly #channel: Channel;
  readonly #handlers: PeerHandlers;
  readonly #pending = new Map<number, Pending>();
  readonly #answering = new Map<string | number, AbortController>();
  #next = 1;
  #closed: string | undefined;

  constructor(channel: Channel, handlers: PeerHandlers) {
    this.#channel = channel;
    this.#handlers = handlers;
    channel.deliver = (message) => this.#take(message);
    channel.unreadable = (id, failed) => this.#pending.get(Number(id))?.settle({ failed });
    channel.ended = (reason) => this.#end(reason);
  }

  get pending(): number {
    return this.#pending.size;
  }

  /** Asks and waits for the answer. */
  ask(method: string, params: JsonObject, options: AskOptions = {}): Promise<JsonObject> {
    if (this.#closed !== undefined) return Promise.reject(new WireLost(this.#closed));
    const { promise, resolve, reject } = Promise.withResolvers<JsonObject>();
    const id = this.#next++;
    const { signal, onProgress } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const stream = this.#channel.cancelsByStream ? new AbortController() : undefined;
    const deadline = new CallDeadline(options, (why) => {
      // The other side waits for an answer of ours, perhaps of a person: the time is not its own.
      if (this.#answering.size > 0) return false;
      cancel(why, new WireTimeout(why));
      return true;
    });
    const settle: Pending['settle'] = (outcome) => {
      if (!this.#pending.delete(id)) return;
      deadline.stop();
      signal?.removeEventListener('abort', onAbort);
      if (!('result' in outcome)) return reject(outcome.failed);
      options.onResult?.(outcome.result);
      resolve(outcome.result);
    };
    const cancel = (reason: string, failed: Error): void => {
      if (!this.#pending.has(id)) return;
      settle({ failed });
      if (options.quiet === true) return;
      if (stream === undefined) this.tell('notifications/cancelled', { requestId: id, reason });
      else stream.abort();
    };
    const onAbort = (): void => cancel('canceled by the caller', signal?.reason as Error);
    signal?.addEventListener('abort', onAbort, { once: true });
    this.#pending.set(id, { settle, extend: () => deadline.extend(), onProgress });
    const message = { jsonrpc: '2.0', id, method, params: withToken(params, onProgress && id) } as const;
    const onStreamEnd = (): void => settle({ failed: new WireLost('its answer broke off') });
    const sent = this.#channel.send(
      message,
      stream === undefined ? { onStreamEnd } : { signal: stream.signal, onStreamEnd },
    );
    sent.catch((cause: unknown) => settle({ failed: new WireLost(textOf(cause), { cause }) }));
    return promise;
  }

  /** Says something that has no answer. What cannot be said any more is nobody's loss. */
  tell(method: string, params: JsonObject): void {
    if (this.#closed !== undefined) return;
    this.#channel.send({ jsonrpc: '2.0', method, params }).catch(() => {});
  }

  async close(): Promise<void> {
    this.#end(undefined);
    await this.#channel.close();
  }

  #take(message: RpcMessage): void {
    if (isRpcResponse(message)) this.#settle(message['id'], message);
    else if (isRpcRequest(message)) void this.#answer(message);
    else if (isRpcNotification(message))
      this.#notified({ method: message.method, params: paramsOf(message) });
  }

  /** An answer to nothing that was asked is dropped. */
  #settle(id: string | number, { result, error }: RpcMessage): void {
    const pending = this.#pending.get(Number(id));
    if (pending === undefined) return;
    if (isObject(result)) pending.settle({ result });
    else if (result === null && this.#handlers.takesNull === true) pending.settle({ result: {} });
    else if (isObject(error)) pending.settle({ failed: RpcError.from(error) });
    else pending.settle({ failed: new MalformedAnswer('its answer has neither a result nor an error') });
  }

  #notified(received: ReceivedMessage): void {
    if (received.method === 'notifications/progress') {
      const pending = this.#pending.get(Number(received.params['progressToken']));
      pending?.extend();
      pending?.onProgress?.(received.params);
      return;
    }
    if (received.method === 'notifications/cancelled') {
      const { requestId } = received.params;
      if (typeof requestId === 'string' || typeof requestId === 'number')
        this.#answering.get(requestId)?.abort();
      return;
    }
    this.#handlers.onNotification(received);
  }

  async #answer({ id, method, ...rest }: RpcRequest): Promise<void> {
    const ending = new AbortController();
    this.#answering.set(id, ending);
    const params = isObject(rest['params']) ? rest['params'] : {};
    let answer: JsonObject;
    try {
      answer = { result: await this.#handlers.onRequest({ method, params }, ending.signal) };
    } catch (thrown) {
      const error = thrown instanceof RpcError ? thrown : new RpcError(-32_603, textOf(thrown));
      answer = { error: error.toJson() };
    }
    this.#answering.delete(id);
    if (ending.signal.aborted || this.#closed !== undefined) return;
    await this.#channel.send({ jsonrpc: '2.0', id, ...answer }).catch(() => {});
  }

  #end(reason: string | undefined): void {
    if (this.#closed !== undefined) return;
    this.#closed = reason ?? 'the connection was closed';
    for (const ending of this.#answering.values()) ending.abort();
    for (const { settle } of this.#pending.values()) settle({ failed: new WireLost(this.#closed) });
    this.#handlers.onClose(reason);
  }
}

/** Progress is told under a token of ours: two callers may have chosen the same one. */
function withToken(params: JsonObject, token: number | undefined): JsonObject {
  if (token === undefined) return params;
  return { ...params, _meta: { ...metaOf(params), progressToken: token } };
}

function textOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown);
}
