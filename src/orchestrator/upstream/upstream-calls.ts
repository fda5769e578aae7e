import { isTooDeep } from '../../domain/values/check-depth.ts';
import { wait } from '../../platform/wait.ts';
import { CallSamples } from '../servers/call-samples.ts';
import type { Connection } from './connection.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import type { CallStatistics, UpstreamLimits } from '../servers/mcp-connection.ts';
import { Questions } from './questions.ts';
import { WireLost } from '../../wire/rpc-error.ts';
import { isConnectionGone, type UpstreamErrors } from './upstream-errors.ts';
import type { UpstreamRequest } from '../servers/upstream-request.ts';

export interface UpstreamCallsParts {
  readonly limits: Pick<UpstreamLimits, 'call_ms' | 'max_ms' | 'repeat_ms'>;
  readonly errors: UpstreamErrors;
  /** The connection, made first when there is none. */
  connected(signal: AbortSignal | undefined): Connection | Promise<Connection>;
  onLost(connection: Connection, reason: string): void;
  /** The first one begins, or the last one has ended. */
  onBusy(): void;
}

/** The requests that a server works on. */
export class UpstreamCalls {
  readonly #parts: UpstreamCallsParts;
  readonly #samples = new CallSamples();
  readonly questions = new Questions();
  #running = 0;

  constructor(parts: UpstreamCallsParts) {
    this.#parts = parts;
  }

  get isBusy(): boolean {
    return this.#running > 0;
  }

  get statistics(): CallStatistics {
    return this.#samples.statistics;
  }

  async make(request: UpstreamRequest): Promise<JsonObject> {
    const { limits, errors, onBusy } = this.#parts;
    const { method, repeatable, signal } = request;
    this.#running += 1;
    onBusy();
    const began = performance.now();
    let isFailed = true;
    const answered = (result: JsonObject): JsonObject => {
      isFailed = result['isError'] === true;
      return result;
    };
    try {
      return answered(await this.#ask(request));
    } catch (thrown) {
      if (!(thrown instanceof WireLost) || repeatable !== true) throw errors.ofRequest(thrown, method);
      await wait(limits.repeat_ms, { signal });
      const repeated = this.#ask(request).catch((again: unknown) => {
        throw errors.ofRequest(again, method);
      });
      return answered(await repeated);
    } finally {
      this.#running -= 1;
      if (method === 'tools/call') this.#samples.add(performance.now() - began, isFailed);
      onBusy();
    }
  }

  async #ask(request: UpstreamRequest): Promise<JsonObject> {
    const { method, params, signal, onProgress } = request;
    const { limits, connected, onLost } = this.#parts;
    const connection = await connected(signal);
    const leave = this.questions.enter(request);
    try {
      const answer = await connection.peer.ask(method, connection.prepare(params), {
        ...(signal === undefined ? {} : { signal }),
        timeout_ms: limits.call_ms,
        max_ms: limits.max_ms,
        onProgress: onProgress ?? (() => {}),
      });
      if (isTooDeep(answer)) throw this.#parts.errors.tooDeep(method);
      return answer;
    } catch (thrown) {
      if (thrown instanceof WireLost && isConnectionGone(thrown)) onLost(connection, thrown.message);
      throw thrown;
    } finally {
      leave();
    }
  }
}
