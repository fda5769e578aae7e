import { setTimeout as delay } from 'node:timers/promises';
import { readEvents } from '../client/read-events.ts';
import type { CoderClient } from '../client/coder-client.ts';
import type { Workspace } from '../model/workspace-schema.ts';

/** A socket costs a server little; a list of all costs it much. */
const MOST = 60;
const AGAIN_MS = 1_000;
/** Several changes come together. */
const GATHER_MS = 30;

/** Follows the workspaces that may change soon, for as long as somebody waits. */
export class WorkspaceWatch implements Disposable {
  readonly #client: CoderClient;
  readonly #followed = new Map<string, AbortController>();
  readonly #changes = new EventTarget();

  constructor(client: CoderClient) {
    this.#client = client;
  }

  /** Follows these from now on, those that are under way first, and no others. */
  follow(workspaces: Iterable<Workspace>): void {
    const wanted = [...workspaces]
      .filter(({ latest_build: { status } }) => status !== 'stopped' && status !== 'deleted')
      .toSorted((one, other) => rank(one) - rank(other))
      .slice(0, MOST);
    const ids = new Set(wanted.map(({ id }) => id));
    for (const [id, stop] of this.#followed) {
      if (ids.has(id)) continue;
      stop.abort();
      this.#followed.delete(id);
    }
    for (const id of ids) {
      if (this.#followed.has(id)) continue;
      const stop = new AbortController();
      this.#followed.set(id, stop);
      void this.#run(id, stop.signal);
    }
  }

  /** Resolves when one of them has changed, or the signal is aborted. */
  async next(signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const done = (): void => resolve();
    this.#changes.addEventListener('change', done, { once: true });
    signal.addEventListener('abort', done, { once: true });
    await promise;
    this.#changes.removeEventListener('change', done);
    signal.removeEventListener('abort', done);
    if (!signal.aborted) await delay(GATHER_MS);
  }

  [Symbol.dispose](): void {
    for (const stop of this.#followed.values()) stop.abort();
    this.#followed.clear();
  }

  async #run(id: string, signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      let first = true;
      await this.#once(id, signal, () => {
        // The state at the beginning of the watch is not a change.
        if (!first) this.#changes.dispatchEvent(new Event('change'));
        first = false;
      });
      if (!first) this.#changes.dispatchEvent(new Event('change'));
      await delay(AGAIN_MS, undefined, { signal, ref: false }).catch(() => {});
    }
  }

  async #once(id: string, signal: AbortSignal, onData: () => void): Promise<void> {
    const { url, token } = this.#client.server;
    await readEvents(new URL(`/api/v2/workspaces/${id}/watch`, url), {
      headers: { 'coder-session-token': token },
      signal,
      onData,
      inBackground: true,
    });
  }
}

/** What is being built or works is more likely to change than what rests. */
function rank({ latest_build: { status }, latest_app_status }: Workspace): number {
  if (status !== 'running') return 0;
  return latest_app_status?.state === 'working' ? 1 : 2;
}
