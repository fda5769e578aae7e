import { setTimeout as delay } from 'node:timers/promises';
import { nameKey } from '../../domain/values/agent-name.ts';
import type { EventSource } from '../../fleet/context/event-source.ts';
import { reportDefect } from '../../platform/report-defect.ts';
import { agentLogUri, agentUri, AGENTS_URI } from './resource-uris.ts';

/** A source may not notice what this process itself has written. */
const LOOK_AGAIN_MS = 1_000;
const AFTER_ERROR_MS = 1_000;
const BATCH = 1_000;

/** Tells listeners which resources have changed. Follows the fleet's events only while somebody listens. */
export class ResourceUpdates {
  readonly #events: EventSource;
  readonly #listeners = new Set<(uri: string) => void>();
  #following: AbortController | undefined;

  constructor(events: EventSource) {
    this.#events = events;
  }

  /** Returns the function that ends it. */
  subscribe(listener: (uri: string) => void): () => void {
    // A function of its own for each subscription: one listener may subscribe twice.
    const own = (uri: string): void => listener(uri);
    this.#listeners.add(own);
    if (this.#following === undefined) {
      this.#following = new AbortController();
      void this.#follow(this.#events.latest(), this.#following.signal);
    }
    return () => {
      this.#listeners.delete(own);
      if (this.#listeners.size === 0) {
        this.#following?.abort();
        this.#following = undefined;
      }
    };
  }

  async #follow(start: string, signal: AbortSignal): Promise<void> {
    let cursor = start;
    while (!signal.aborted) {
      try {
        // Asked before looking: what comes between the two is not missed.
        const changed = this.#events.changed(LOOK_AGAIN_MS, signal);
        cursor = this.#publishSince(cursor);
        await changed;
      } catch (thrown) {
        if (signal.aborted) return;
        reportDefect(thrown, 'resource updates');
        await delay(AFTER_ERROR_MS, undefined, { signal }).catch(() => {});
      }
    }
  }

  #publishSince(start: string): string {
    let cursor = start;
    const uris = new Set<string>();
    for (;;) {
      const events = this.#events.since(cursor, BATCH);
      for (const { agent_name } of events) {
        if (agent_name === null) continue;
        uris.add(AGENTS_URI);
        // In lower case too: clients of the new era are told of the very text that they subscribed to.
        for (const name of [agent_name, nameKey(agent_name)]) uris.add(agentUri(name)).add(agentLogUri(name));
      }
      cursor = events.at(-1)?.cursor ?? cursor;
      if (events.length < BATCH) break;
    }
    for (const uri of uris) for (const listener of this.#listeners) listener(uri);
    return cursor;
  }
}
