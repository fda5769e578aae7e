import { randomUUID } from 'node:crypto';
import { FleetError } from '../../domain/values/errors.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import { canAnswer, type RelayClient } from './relay-client.ts';

/** How long a call waits for the answer of a person. */
const MAX_WAIT_MS = 10 * 60_000;
const MOST = 1_000;
const PREFIX = 'fleet-held:';
const KEY = 'question';

interface Held {
  readonly principal: string;
  readonly outcome: Promise<JsonObject>;
  readonly late: NodeJS.Timeout;
  next: Promise<JsonObject>;
  answer(given: JsonObject): void;
}

type Run = (signal: AbortSignal, ask: NonNullable<RelayClient['ask']>) => Promise<JsonObject>;

/** Calls of servers of the old era that ask in the middle, for clients of the new one, who are asked by an answer and
 *  call again. The call runs on meanwhile. */
export class HeldCalls {
  readonly #held = new Map<string, Held>();

  /** Runs a call until it ends, or asks. */
  run(client: RelayClient, run: Run): Promise<JsonObject> {
    if (Object.keys(client.capabilities).length === 0) return run(client.signal, refuse);
    const id = `${PREFIX}${randomUUID()}`;
    let asked: PromiseWithResolvers<JsonObject> = Promise.withResolvers();
    const ask = async (method: string, params: JsonObject): Promise<JsonObject> => {
      if (!canAnswer(client, method) || this.#held.size >= MOST) return refuse(method);
      const answered = Promise.withResolvers<JsonObject>();
      const before = asked;
      asked = Promise.withResolvers();
      this.#held.set(id, {
        principal: principalOf(client),
        outcome,
        late: setTimeout(() => {
          this.#forget(id);
          answered.resolve({ action: 'cancel' });
        }, MAX_WAIT_MS).unref(),
        next: asked.promise,
        answer: answered.resolve,
      });
      before.resolve({
        resultType: 'input_required',
        inputRequests: { [KEY]: { method, params } },
        requestState: id,
      });
      return answered.promise;
    };
    // It outlives the request that started it: once that is answered, its signal is never aborted.
    const outcome = run(client.signal, ask);
    void outcome.catch(() => {}).finally(() => this.#forget(id));
    return Promise.race([outcome, asked.promise]);
  }

  /** The rest of a call whose question is answered now; undefined for a call of its own. */
  resume(params: JsonObject, client: RelayClient): Promise<JsonObject> | undefined {
    const { requestState, inputResponses } = params;
    if (typeof requestState !== 'string' || !requestState.startsWith(PREFIX)) return undefined;
    const held = this.#held.get(requestState);
    if (held === undefined || held.principal !== principalOf(client)) {
      throw new FleetError('CONFLICT', 'The call that asked this has ended. Call the tool again.', {
        reason: 'answered_already',
      });
    }
    this.#held.delete(requestState);
    clearTimeout(held.late);
    const answer = isObject(inputResponses) ? inputResponses[KEY] : undefined;
    held.answer(isObject(answer) ? answer : { action: 'cancel' });
    return Promise.race([held.outcome, held.next]);
  }

  #forget(id: string): void {
    clearTimeout(this.#held.get(id)?.late);
    this.#held.delete(id);
  }
}

/** True for the state of a call that waits here for an answer. */
export function isHeldState(state: unknown): boolean {
  return typeof state === 'string' && state.startsWith(PREFIX);
}

async function refuse(method: string): Promise<JsonObject> {
  throw new RpcError(-32_601, `this client cannot be asked ${method}`);
}

function principalOf({ caller }: RelayClient): string {
  return `${caller.principal.kind}:${caller.principal.name}`;
}
