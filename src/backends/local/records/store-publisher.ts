import type { Change } from '../../../domain/changes.ts';
import { stateOf, type AgentState } from '../../../domain/state.ts';
import { briefEnd } from '../../../domain/task-result.ts';
import { cutOrNull, cut, LIST_TEXT_LIMIT } from '../../../domain/values/text.ts';
import type { Publisher, Summary } from '../../../runner/journal/publisher.ts';
import { EventLog } from '../../../store/event-log.ts';
import type { Store } from '../../../store/store.ts';

/** Tells the fleet of an agent's changes through the store: one summary row for lists, and events. */
export class StorePublisher implements Publisher {
  readonly #store: Store;
  readonly #events: EventLog;
  readonly #agent: { readonly name: string; readonly workspace_id: string };
  #published: AgentState | undefined;
  /** The store in which it was published. */
  #edition: number;

  constructor(store: Store, agent: { readonly name: string; readonly workspace_id: string }) {
    this.#store = store;
    this.#events = new EventLog(store);
    this.#agent = agent;
    this.#edition = store.edition;
  }

  published(): AgentState | undefined {
    if (this.#published !== undefined && this.#edition === this.#store.edition) return this.#published;
    const row = this.#store.get(
      'SELECT state FROM summaries WHERE workspace_id = ?',
      this.#agent.workspace_id,
    );
    this.#edition = this.#store.edition;
    return row === undefined ? undefined : stateOf(JSON.parse(String(row['state'])) as Partial<AgentState>);
  }

  publish(summary: Summary, changes: readonly Change[]): boolean {
    const state = cutState(summary.state);
    return this.#store.transaction(() => {
      if (this.#edition !== this.#store.edition) return false;
      // Of two processes that delete an agent, the quicker one may have removed its row while the other still publishes.
      this.#store.run(
        `INSERT OR REPLACE INTO summaries (workspace_id, seq, state, progress, git, pull_request, listed)
         SELECT ?1, ?2, ?3, ?4, ?5, ?6, ?7
         WHERE EXISTS (SELECT 1 FROM agents WHERE workspace_id = ?1)
            OR EXISTS (SELECT 1 FROM coder_agents WHERE workspace_id = ?1)`,
        this.#agent.workspace_id,
        state.seq,
        JSON.stringify(state),
        summary.progress === undefined ? null : JSON.stringify(summary.progress),
        summary.git === null ? null : JSON.stringify(summary.git),
        summary.pull_request === null ? null : JSON.stringify(summary.pull_request),
        summary.listed.count === 0 && summary.listed.collected_at === null
          ? null
          : JSON.stringify(summary.listed),
      );
      this.#events.add(this.#agent, changes);
      this.#published = state;
      return true;
    });
  }
}

/** A list shows texts cut; the whole ones are in the journal. */
function cutState(state: AgentState): AgentState {
  return {
    ...state,
    phase_reason: cut(state.phase_reason, LIST_TEXT_LIMIT),
    last_task: cutOrNull(state.last_task, LIST_TEXT_LIMIT),
    last_end: briefEnd(state.last_end),
    running:
      state.running === null
        ? null
        : { ...state.running, message: cut(state.running.message, LIST_TEXT_LIMIT) },
  };
}
