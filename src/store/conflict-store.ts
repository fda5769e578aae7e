import { EventLog } from './event-log.ts';
import type { Store } from './store.ts';

/** A conflict between the branch of an agent and another branch. */
export interface FoundConflict {
  readonly workspace_id: string;
  readonly agent_name: string;
  /** Null for the base. */
  readonly other: { readonly workspace_id: string; readonly name: string } | null;
  readonly paths: readonly string[];
}

/** The conflicts that subscribers were told of. */
export class ConflictStore {
  readonly #store: Store;

  constructor(store: Store) {
    this.#store = store;
  }

  /** Replaces all conflicts by those that there are now, and tells which appeared and which are gone: once, however many
   *  processes look. */
  note(found: readonly FoundConflict[], at: string): void {
    this.#store.transaction(() => {
      const before = this.#all();
      const [had, has] = [new Set(before.map(keyOf)), new Set(found.map(keyOf))];
      for (const each of before.filter((known) => !has.has(keyOf(known)))) {
        this.#remove(each);
        this.#tell(each, 'gone', at);
      }
      for (const each of found) {
        this.#put(each);
        if (!had.has(keyOf(each))) this.#tell(each, 'appeared', at);
      }
    });
  }

  #all(): readonly FoundConflict[] {
    return this.#store.all('SELECT * FROM conflicts ORDER BY rowid').map((row) => ({
      workspace_id: String(row['workspace_id']),
      agent_name: String(row['agent_name']),
      other:
        row['other'] === null ? null : { workspace_id: String(row['other_id']), name: String(row['other']) },
      paths: JSON.parse(String(row['paths'])) as string[],
    }));
  }

  #put({ workspace_id, agent_name, other, paths }: FoundConflict): void {
    this.#store.run(
      'INSERT OR REPLACE INTO conflicts (workspace_id, other_id, agent_name, other, paths) VALUES (?, ?, ?, ?, ?)',
      workspace_id,
      other?.workspace_id ?? '',
      agent_name,
      other?.name ?? null,
      JSON.stringify(paths),
    );
  }

  #remove({ workspace_id, other }: FoundConflict): void {
    this.#store.run(
      'DELETE FROM conflicts WHERE workspace_id = ? AND other_id = ?',
      workspace_id,
      other?.workspace_id ?? '',
    );
  }

  /** It follows from no fact of the agent: the moment tells it from the others. */
  #tell(conflict: FoundConflict, state: 'appeared' | 'gone', at: string): void {
    const { workspace_id, agent_name, other, paths } = conflict;
    new EventLog(this.#store).add({ name: agent_name, workspace_id }, [
      {
        seq: 0,
        at,
        kind: 'conflict',
        moment: `${at} ${other?.workspace_id ?? ''} ${state}`,
        data: { other: other?.name ?? null, paths: paths.slice(0, PATHS_TOLD), state },
      },
    ]);
  }
}

const PATHS_TOLD = 100;

function keyOf({ workspace_id, other }: FoundConflict): string {
  return `${workspace_id} ${other?.workspace_id ?? ''}`;
}
