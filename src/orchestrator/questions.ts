import type { JsonObject } from './json-rpc.ts';
import { RpcError } from './rpc-error.ts';
import type { Told } from './rpc-peer.ts';
import type { UpstreamRequest } from './upstream-request.ts';

/** Puts the questions of a server to whoever they belong to. A server does not say for which call it asks: while calls of
 *  several owners run, a question is nobody's, because an answer of one must never serve another. */
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

  async ask({ method, params }: Told, signal: AbortSignal): Promise<JsonObject> {
    if (method === 'ping') return {};
    const owners = new Set([...this.#open].map(({ owner }) => owner));
    if (owners.size > 1) {
      throw new RpcError(-32_000, 'several callers are at work, and the question does not say whose it is');
    }
    const asked = [...this.#open].findLast(({ onQuestion }) => onQuestion !== undefined);
    if (asked?.onQuestion === undefined) throw new RpcError(-32_601, `nobody here can answer ${method}`);
    return asked.onQuestion(method, params, signal);
  }
}
