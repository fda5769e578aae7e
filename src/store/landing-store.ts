import { wasInterrupted, type Landing, type LandingState, type LandUndone } from '../domain/merge/landing.ts';
import { EventLog } from './event-log.ts';
import type { Store } from './store.ts';

/** What is about to be done to a branch and its checkout, noted before it is done. */
export interface LandingIntent {
  readonly from: string;
  readonly to: string;
  readonly checkout: string | null;
  readonly at: number;
  /** True while a landing is taken back. */
  readonly undo: boolean;
}

export interface StoredLanding extends Landing {
  /** The git directory of the project's repository. */
  readonly lender: string;
  readonly intent: LandingIntent | null;
  /** The process that works on it, as `identify` gives it; null when none does. */
  readonly process: unknown;
  /** The process that does what follows it. */
  readonly follower?: unknown;
  /** How it was taken back. */
  readonly undone?: LandUndone;
}

/** A landing that begins now. */
export function newLanding(
  begun: Pick<
    StoredLanding,
    | 'land_id'
    | 'workspace_id'
    | 'agent_name'
    | 'project'
    | 'options'
    | 'by'
    | 'created_at'
    | 'lender'
    | 'process'
    | 'follow_up'
  >,
): StoredLanding {
  return {
    ...begun,
    state: 'running',
    into: null,
    before: null,
    after: null,
    head: null,
    message: '',
    error: null,
    intent: null,
  };
}

/** Landings of agents' work, running and done. */
export class LandingStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** False, and nothing done, for one that is there. One that was interrupted, and changed nothing, begins again. */
  insert(landing: StoredLanding): boolean {
    return this.#store.transaction(() => {
      const before = this.find(landing.land_id);
      if (before !== undefined && !wasInterrupted(before)) return false;
      this.#store.run(
        'INSERT OR REPLACE INTO landings VALUES (?, ?, ?, ?)',
        landing.land_id,
        landing.workspace_id,
        landing.state,
        JSON.stringify(landing),
      );
      return true;
    }, true);
  }

  /** The work is seen on its branch: stored and told as one. */
  land(land_id: string, message: string): StoredLanding {
    return this.#store.transaction(() => {
      const before = this.find(land_id);
      if (before === undefined) throw new Error(`there is no landing ${land_id}`);
      const landed = this.#write({ ...before, state: 'landed', intent: null, process: null, message });
      const { workspace_id, agent_name: name, into, after, by } = landed;
      new EventLog(this.#store).add({ name, workspace_id }, [
        {
          // It follows from no fact of the agent: the moment tells it from the others.
          seq: 0,
          at: new Date().toISOString(),
          kind: 'landed',
          moment: land_id,
          data: { land_id, into, before: landed.before, after, by },
        },
      ]);
      return landed;
    }, true);
  }

  find(land_id: string): StoredLanding | undefined {
    const row = this.#store.get('SELECT data FROM landings WHERE land_id = ?', land_id);
    return row === undefined ? undefined : landingOf(row['data']);
  }

  change(land_id: string, change: Partial<StoredLanding>): StoredLanding {
    return this.#store.transaction(() => {
      const before = this.find(land_id);
      if (before === undefined) throw new Error(`there is no landing ${land_id}`);
      return this.#write({ ...before, ...change });
    }, true);
  }

  /** Gives a running landing to another process. Does nothing when it is no longer `from`'s. */
  handOver(land_id: string, from: unknown, to: unknown): void {
    this.#store.transaction(() => {
      const landing = this.find(land_id);
      if (landing?.state !== 'running' || JSON.stringify(landing.process) !== JSON.stringify(from)) return;
      this.#write({ ...landing, process: to });
    }, true);
  }

  /** Takes what follows a landing that has ended into a process's hands. Undefined when nothing is to be done, or another
   *  live process does it. */
  claim(
    land_id: string,
    follower: unknown,
    isLive: (process: unknown) => boolean,
  ): StoredLanding | undefined {
    return this.#store.transaction(() => {
      const landing = this.find(land_id);
      if (landing?.follow_up == null || landing.state === 'running') return undefined;
      if (landing.follower != null && isLive(landing.follower)) return undefined;
      return this.#write({ ...landing, follower });
    }, true);
  }

  /** Those that have ended, and whose caller wanted something to follow that is not done. */
  toFollow(): readonly StoredLanding[] {
    return this.#store
      .all(
        `SELECT data FROM landings WHERE state <> 'running' AND json_extract(data, '$.follow_up') IS NOT NULL ORDER BY rowid`,
      )
      .map(({ data }) => landingOf(data));
  }

  /** Those that a process is working on, or was when it died. */
  unfinished(): readonly StoredLanding[] {
    return this.#store
      .all(`SELECT data FROM landings WHERE json_extract(data, '$.process') IS NOT NULL ORDER BY rowid`)
      .map(({ data }) => landingOf(data));
  }

  /** Those that were landed, also when they were undone since; newest first. */
  ended(workspace_id: string): readonly StoredLanding[] {
    return this.#store
      .all(
        `SELECT data FROM landings WHERE workspace_id = ? AND state IN ('landed', 'undone') ORDER BY rowid DESC`,
        workspace_id,
      )
      .map(({ data }) => landingOf(data));
  }

  #write(landing: StoredLanding): StoredLanding {
    this.#store.run(
      'UPDATE landings SET state = ?, data = ? WHERE land_id = ?',
      landing.state,
      JSON.stringify(landing),
      landing.land_id,
    );
    return landing;
  }

  /** Newest first. */
  of(workspace_id: string, state: LandingState): readonly StoredLanding[] {
    return this.#store
      .all(
        'SELECT data FROM landings WHERE workspace_id = ? AND state = ? ORDER BY rowid DESC',
        workspace_id,
        state,
      )
      .map(({ data }) => landingOf(data));
  }
}

/** Written by this class alone. */
function landingOf(data: unknown): StoredLanding {
  return JSON.parse(String(data)) as StoredLanding;
}
