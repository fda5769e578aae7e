import type { FleetEvent } from '../../domain/fleet-event.ts';

/** Changes of the fleet in one order, with a cursor that any process can resume. */
export interface EventSource {
  latest(): string;
  /** False for a cursor after which events are gone: they are kept for a time. */
  covers(cursor: string): boolean;
  /** Events after a cursor, oldest first. */
  since(cursor: string, limit: number): readonly FleetEvent[];
  agentsChangedSince(cursor: string): ReadonlySet<string>;
  /** Resolves when there may be more, at the latest after `timeout_ms`. */
  changed(timeout_ms: number, signal: AbortSignal): Promise<void>;
}
