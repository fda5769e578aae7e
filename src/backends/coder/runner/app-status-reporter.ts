import { setTimeout as delay } from 'node:timers/promises';
import type { Change } from '../../../domain/changes.ts';
import type { AgentState } from '../../../domain/state.ts';
import type { Publisher, Summary } from '../../../runner/journal/publisher.ts';
import { FLEET_APP } from '../model/parameters.ts';
import { appStatusOf, type AppStatus } from '../model/app-status.ts';

/** All runners behind one address share 512 reports a minute. */
const LEAST_PAUSE_MS = 1_000;
const FAILED_PAUSE_MS = 5_000;
const ANSWER_LIMIT_MS = 10_000;
const MOST_CHECKPOINTS = 20;

export interface CoderAgentAccess {
  readonly url: string;
  /** The agent's own, which its environment has: it can report and nothing else. */
  readonly token: string;
}

/** Tells Coder whether the agent is busy: the first change at once, then the newest of what happened meanwhile. */
export class AppStatusReporter implements Publisher, Disposable {
  readonly #access: CoderAgentAccess;
  readonly #closing = new AbortController();
  #published: AgentState;
  /** The last sign of life of a task that is stuck. */
  #stuckSince: number | undefined;
  #wanted: AppStatus | undefined;
  #told = '';
  #busy = false;
  #checkpoints: readonly Change[] = [];

  /** `state`: what the journal had when the runner began; the fleet learns of it by the journal itself. */
  constructor(access: CoderAgentAccess, state: AgentState) {
    this.#access = access;
    this.#published = state;
  }

  /** The newest checkpoints that this runner made: the journal does not have them. */
  get checkpoints(): readonly Change[] {
    return this.#checkpoints;
  }

  published(): AgentState {
    return this.#published;
  }

  publish({ state, progress }: Summary, changes: readonly Change[]): true {
    this.#published = state;
    const made = changes.filter(({ kind }) => kind === 'checkpoint');
    this.#checkpoints = [...this.#checkpoints, ...made].slice(-MOST_CHECKPOINTS);
    if (changes.some(({ data }) => data['stuck'] === true)) this.#stuckSince = progress?.at ?? 0;
    // A sign of life, or the end of its task.
    else if ((progress?.at ?? 0) !== this.#stuckSince || state.running === null) this.#stuckSince = undefined;
    const status = appStatusOf(state, this.#stuckSince !== undefined);
    if (status === undefined || keyOf(status) === this.#told) return true;
    this.#wanted = status;
    if (!this.#busy) void this.#report();
    return true;
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
  }

  async #report(): Promise<void> {
    this.#busy = true;
    const { signal } = this.#closing;
    while (this.#wanted !== undefined && !signal.aborted) {
      const status = this.#wanted;
      this.#wanted = undefined;
      if (keyOf(status) === this.#told) continue;
      const pause_ms = await this.#send(status);
      if (pause_ms === undefined) this.#told = keyOf(status);
      else this.#wanted ??= status;
      await delay(pause_ms ?? LEAST_PAUSE_MS, undefined, { signal, ref: false }).catch(() => {});
    }
    this.#busy = false;
  }

  /** How long to wait before it is tried again; undefined when it is told. */
  async #send(status: AppStatus): Promise<number | undefined> {
    try {
      const answer = await fetch(new URL('/api/v2/workspaceagents/me/app-status', this.#access.url), {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'coder-session-token': this.#access.token },
        body: JSON.stringify({ app_slug: FLEET_APP, ...status, icon: '', needs_user_attention: false }),
        signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(ANSWER_LIMIT_MS)]),
      });
      await answer.arrayBuffer();
      if (answer.ok) return undefined;
      const after = Number(answer.headers.get('retry-after') ?? 0) * 1000;
      return Math.max(FAILED_PAUSE_MS, after) * (1 + Math.random());
    } catch {
      // The journal has it; Coder gets it when it can be reached.
      return FAILED_PAUSE_MS * (0.5 + Math.random());
    }
  }
}

/** What makes a report worth sending; the number of the fact alone does not. */
function keyOf({ state, message, uri }: AppStatus): string {
  return JSON.stringify([state, message, uri.replace(/\/\d+/, '')]);
}
