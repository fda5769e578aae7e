import type { Change } from '../domain/changes.ts';
import type { FleetEvent } from '../domain/fleet-event.ts';
import { pruneEvents } from './store-upkeep.ts';
import type { Store } from './store.ts';

const PRUNE_EVERY = 500;

/** Stands in the columns of an event that belongs to no agent. */
export const NO_AGENT = { name: '', workspace_id: '' } as const;

/** Events of all agents in one order, for subscribers in any process. */
export class EventLog {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Adds the changes of an agent, each once whatever is repeated. Part of the caller's transaction. */
  add(agent: { readonly name: string; readonly workspace_id: string }, changes: readonly Change[]): void {
    for (const { seq, at, kind, data, moment = '' } of changes) {
      const added = this.#store.run(
        `INSERT INTO events (at, kind, agent_name, workspace_id, seq, moment, data) VALUES (?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT DO NOTHING`,
        at,
        kind,
        agent.name,
        agent.workspace_id,
        seq,
        moment,
        JSON.stringify(data),
      );
      if (added > 0 && this.#store.lastId() % PRUNE_EVERY === 0) pruneEvents(this.#store, Date.now());
    }
  }

  /** The next event comes after this cursor, however few there are: a reader that has seen more goes on from there. */
  startAfter(cursor: number): void {
    this.#store.run(
      `INSERT INTO sqlite_sequence (name, seq) SELECT 'events', 0
       WHERE NOT EXISTS (SELECT 1 FROM sqlite_sequence WHERE name = 'events')`,
    );
    this.#store.run(`UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = 'events'`, cursor);
  }

  /** True when every event after the cursor is still there. */
  covers(cursor: string): boolean {
    const after = Number(cursor);
    const oldest = this.#store.get('SELECT min(cursor) AS cursor FROM events')?.['cursor'] ?? 1;
    const given = this.#store.get(`SELECT seq FROM sqlite_sequence WHERE name = 'events'`)?.['seq'] ?? 0;
    return after >= Number(oldest) - 1 && after <= Number(given);
  }

  latest(): string {
    return String(this.#store.get('SELECT max(cursor) AS cursor FROM events')?.['cursor'] ?? 0);
  }

  since(cursor: string, limit: number): readonly FleetEvent[] {
    const rows = this.#store.all(
      'SELECT * FROM events WHERE cursor > ? ORDER BY cursor LIMIT ?',
      Number(cursor),
      limit,
    );
    return rows.map((row) => ({
      cursor: String(row['cursor']),
      at: String(row['at']),
      kind: row['kind'] as FleetEvent['kind'],
      agent_name: String(row['agent_name']) || null,
      workspace_id: String(row['workspace_id']) || null,
      data: JSON.parse(String(row['data'])) as Record<string, unknown>,
    }));
  }

  agentsChangedSince(cursor: string): ReadonlySet<string> {
    const rows = this.#store.all(
      'SELECT DISTINCT workspace_id FROM events WHERE cursor > ? AND workspace_id <> ?',
      Number(cursor),
      NO_AGENT.workspace_id,
    );
    return new Set(rows.map((row) => String(row['workspace_id'])));
  }

  changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    return this.#store.changedSoon(timeout_ms, signal);
  }
}
