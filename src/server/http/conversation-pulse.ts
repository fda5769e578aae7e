import { setTimeout as delay } from 'node:timers/promises';
import { toFleetError } from '../../domain/values/errors.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { reportDefect } from '../../platform/report-defect.ts';

const LOOK_AGAIN_MS = 1_000;
/** One frame for all that comes within this time. */
const TOGETHER_MS = 100;

/** Tells one event stream that an agent's conversation has more. It does not say what: the client reads it by its own
 *  cursor. */
export class ConversationPulse {
  readonly #fleet: Pick<Fleet, 'conversationEnd'>;
  readonly #agent: string;
  readonly #signal: AbortSignal;
  #frame: string | undefined;
  #wake: () => void = () => {};

  constructor(fleet: Pick<Fleet, 'conversationEnd'>, agent: string, signal: AbortSignal) {
    this.#fleet = fleet;
    this.#agent = agent;
    this.#signal = signal;
    void this.#follow();
  }

  /** Resolves when there is a frame. A promise that was given before need not resolve any more. */
  changed(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    if (this.#frame !== undefined) resolve();
    return promise;
  }

  takeFrame(): string | undefined {
    const frame = this.#frame;
    this.#frame = undefined;
    return frame;
  }

  async #follow(): Promise<void> {
    const signal = this.#signal;
    let known: string | undefined;
    try {
      while (!signal.aborted) {
        const look = { known, timeout_ms: LOOK_AGAIN_MS, signal };
        const found = await this.#fleet.conversationEnd(this.#agent, look);
        if (found === undefined) return;
        const { end, ...agent } = found;
        if (end !== known) this.#tell(agent);
        known = end;
        await delay(TOGETHER_MS, undefined, { signal });
      }
    } catch (thrown) {
      // The agent was deleted, or the stream has ended.
      if (!signal.aborted && toFleetError(thrown).code !== 'NOT_FOUND') reportDefect(thrown, '/events');
    }
  }

  /** Without an id: a client that reconnects resumes after the last event of the fleet. */
  #tell(agent: { readonly agent_name: string; readonly workspace_id: string }): void {
    const data = { at: new Date().toISOString(), kind: 'log', ...agent };
    this.#frame = `event: log\ndata: ${JSON.stringify(data)}\n\n`;
    this.#wake();
  }
}
