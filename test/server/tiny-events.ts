import { EventEmitter, once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import type { EventKind, FleetEvent } from '../../src/domain/fleet-event.ts';
import type { EventSource } from '../../src/fleet/context/event-source.ts';

const AT = '2026-11-01T10:00:00.000Z';

/** Events in memory; what is added wakes whoever waits. */
export class TinyEvents implements EventSource {
  readonly #events: FleetEvent[] = [];
  /** How often somebody has asked for events. */
  looks = 0;
  readonly #bell = new EventEmitter().setMaxListeners(0);

  add(
    kind: EventKind,
    agent: { name: string; workspace_id: string },
    data: Record<string, unknown> = {},
  ): string {
    const cursor = String(this.#events.length + 1);
    const { name: agent_name, workspace_id } = agent;
    this.#events.push({ cursor, at: AT, kind, agent_name, workspace_id, data });
    this.#bell.emit('change');
    return cursor;
  }

  get waiting(): number {
    return this.#bell.listenerCount('change');
  }

  latest(): string {
    return String(this.#events.length);
  }

  covers(cursor: string): boolean {
    return Number(cursor) <= this.#events.length;
  }

  since(cursor: string, limit: number): readonly FleetEvent[] {
    this.looks += 1;
    return this.#events.slice(Number(cursor), Number(cursor) + limit);
  }

  agentsChangedSince(cursor: string): ReadonlySet<string> {
    return new Set(this.since(cursor, 1_000_000).flatMap(({ workspace_id }) => workspace_id ?? []));
  }

  async changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    const stop = new AbortController();
    const either = AbortSignal.any([signal, stop.signal]);
    const timer = delay(timeout_ms, undefined, { signal: either });
    const bell = once(this.#bell, 'change', { signal: either });
    try {
      await Promise.race([timer, bell]);
    } finally {
      stop.abort();
      await Promise.allSettled([timer, bell]);
    }
  }
}
