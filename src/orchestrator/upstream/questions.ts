import type { JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import type { ReceivedMessage } from '../../wire/rpc-peer.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';

/** Passes the questions of a server on to the caller that they belong to. A server does not say for which call it asks:
 *  while calls of several owners run, a question belongs to none, because an answer of one must never serve another. */
export class Questions {
  readonly #open = new Set<UpstreamRequest>();

  /** Returns the function that leaves. */
  enter(request: UpstreamRequest): () => void {
    this.#open.add(request);
    return () => void this.#open.delete(request);
  }

  /** The one that is at work, when all that is at work is of one owner. */
  get alone(): UpstreamRequest | undefined {
    const newest = [...this.#open].at(-1);
    return [...this.#open].every(({ owner }) => owner === newest?.owner) ? newest : undefined;
  }

  async ask({ method, params }: ReceivedMessage, signal: AbortSignal): Promise<JsonObject> {
    if (method === 'ping') return {};
    const owners = new Set([...this.#open].map(({ owner }) => owner));
    if (owners.size > 1) {
      throw new RpcError(-32_000, 'several callers are at work, and the question does not say whose it is');
    }
    const asked = [...this.#open].findLast(({ onQuestion }) => onQuestion !== undefined);
    if (asked?.onQuestion === undefined) throw new RpcError(-32_601, `the client does not support ${method}`);
    return asked.onQuestion(method, params, signal);
  }
}
