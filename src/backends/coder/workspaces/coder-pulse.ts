import { setTimeout as delay } from 'node:timers/promises';
import type { Store } from '../../../store/store.ts';
import type { CoderClient } from '../client/coder-client.ts';
import type { Workspace } from '../model/workspace-schema.ts';
import { WorkspaceWatch } from './workspace-watch.ts';

/** Between two looks of somebody who waits: by far longer than a look takes, so that no server is kept busy by them. */
const LEAST_MS = 1_500;
const TIMES = 10;
const MAX_MS = 15_000;

/** Tells when to look again: by what Coder says of workspaces, by what other processes received, and now and then anyway. */
export class CoderPulse implements Disposable {
  readonly #store: Store;
  readonly #watch: WorkspaceWatch;
  #lookTook = 0;

  constructor(client: CoderClient, store: Store) {
    this.#store = store;
    this.#watch = new WorkspaceWatch(client);
  }

  /** Milliseconds until one should look again without a reason. */
  get pace_ms(): number {
    return Math.min(MAX_MS, Math.max(LEAST_MS, TIMES * this.#lookTook));
  }

  async timed<Result>(look: () => Promise<Result>): Promise<Result> {
    const started = performance.now();
    const result = await look();
    this.#lookTook = performance.now() - started;
    return result;
  }

  async changed(
    timeout_ms: number,
    { signal, workspaces }: { readonly signal: AbortSignal; readonly workspaces: Iterable<Workspace> },
  ): Promise<void> {
    this.#watch.follow(workspaces);
    const over = new AbortController();
    const ended = AbortSignal.any([signal, over.signal]);
    await Promise.race([
      this.#watch.next(ended),
      this.#store.changed(timeout_ms, ended).catch(() => {}),
      delay(Math.min(timeout_ms, this.pace_ms), undefined, { signal: ended }).catch(() => {}),
    ]);
    over.abort();
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
  }
}
