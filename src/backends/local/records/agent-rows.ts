import { nameKey } from '../../../domain/values/agent-name.ts';
import type { Actor } from '../../../domain/principal.ts';
import type { ProcessIdentity } from '../../../platform/processes/process-identity.ts';
import type { Store } from '../../../store/store.ts';
import { agentSummary, ownJson, type AgentSummary } from '../../agent-summary.ts';
import type { Origin } from './origin.ts';

export interface AgentRow {
  readonly workspace_id: string;
  readonly name: string;
  readonly project: string;
  readonly role: string;
  readonly created_at: string;
  readonly created_by: string;
  /** The key that the runner asks its callers for. */
  readonly key: string;
  readonly tombstone: Tombstone | null;
  readonly unreachable_since: number | null;
  /** The process that registered as its runner and has not said goodbye. */
  readonly runner: ProcessIdentity | null;
  readonly summary: AgentSummary | null;
  /** Somebody has the journal in their hands, or had when they died: it may know of more than the summary. */
  readonly unpublished: boolean;
}

export interface Tombstone {
  readonly by: Actor;
  readonly at: string;
  readonly discard_work: boolean;
  /** Who is at it: when that process is gone, somebody else goes on. */
  readonly deleter: ProcessIdentity | null;
}

/** Registered in place of a runner when an agent's journal was found damaged: it is nobody, so that every look tries
 *  the journal again. */
const NOBODY: ProcessIdentity = { pid: 0, started: '', boot: '' };

/** True when the agent's journal was found damaged. */
export function isDoubted({ runner }: AgentRow): boolean {
  return runner?.pid === NOBODY.pid;
}

const COLUMNS = `a.workspace_id, a.name, a.project, a.role, a.created_at, a.created_by, a.key, a.tombstone,
  a.unreachable_since, a.runner, s.seq, s.state, s.progress, s.git, s.pull_request, s.listed`;
const FROM = 'FROM agents a LEFT JOIN summaries s USING (workspace_id)';

/** The agents of the local backend in the store. */
export class AgentRows {
  readonly #store: Store;
  /** As they were last read: a thousand are not read again to find that nothing changed. */
  #read: { readonly version: string; readonly rows: readonly AgentRow[] } | undefined;

  constructor(store: Store) {
    this.#store = store;
  }

  all(): readonly AgentRow[] {
    const version = this.#store.version();
    if (this.#read?.version === version) return this.#read.rows;
    const rows = this.#store.all(`SELECT ${COLUMNS} ${FROM} ORDER BY a.name_key`).map(agentRow);
    this.#read = { version, rows };
    return rows;
  }

  byName(name: string): AgentRow | undefined {
    const row = this.#store.get(`SELECT ${COLUMNS} ${FROM} WHERE a.name_key = ?`, nameKey(name));
    return row === undefined ? undefined : agentRow(row);
  }

  byId(workspaceId: string): AgentRow | undefined {
    const row = this.#store.get(`SELECT ${COLUMNS} ${FROM} WHERE a.workspace_id = ?`, workspaceId);
    return row === undefined ? undefined : agentRow(row);
  }

  origin(workspaceId: string): Origin | undefined {
    const row = this.#store.get('SELECT origin FROM agents WHERE workspace_id = ?', workspaceId);
    return row === undefined ? undefined : (JSON.parse(String(row['origin'])) as Origin);
  }

  /** False when the name is taken, or the id is known already: nothing was changed. */
  insert(origin: Origin, tombstone: Tombstone | null = null): boolean {
    const { launch, created_at, created_by, key } = origin;
    return this.#store.transaction(
      () =>
        this.#store.run(
          `INSERT INTO agents (workspace_id, name, name_key, project, role, created_at, created_by, key, origin, tombstone)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          launch.workspace_id,
          launch.name,
          nameKey(launch.name),
          launch.project,
          launch.role,
          created_at,
          created_by.principal,
          key,
          JSON.stringify(origin),
          tombstone === null ? null : JSON.stringify(tombstone),
        ) === 1,
      true,
    );
  }

  setOrigin(workspaceId: string, origin: Origin): void {
    this.#store.run(
      'UPDATE agents SET origin = ? WHERE workspace_id = ?',
      JSON.stringify(origin),
      workspaceId,
    );
  }

  setRunner(workspaceId: string, runner: ProcessIdentity | null): void {
    this.#store.run(
      'UPDATE agents SET runner = ?, unreachable_since = NULL WHERE workspace_id = ?',
      runner === null ? null : JSON.stringify(runner),
      workspaceId,
    );
  }

  /** Notes that the agent's journal was found damaged. */
  doubt(workspaceId: string): void {
    this.setRunner(workspaceId, NOBODY);
  }

  /** Clears the registration of one dead runner, and of no other. */
  clearRunner(workspaceId: string, dead: ProcessIdentity): void {
    this.#store.run(
      'UPDATE agents SET runner = NULL, unreachable_since = NULL WHERE workspace_id = ? AND runner = ?',
      workspaceId,
      JSON.stringify(dead),
    );
  }

  setUnreachableSince(workspaceId: string, since: number | null): void {
    this.#store.run('UPDATE agents SET unreachable_since = ? WHERE workspace_id = ?', since, workspaceId);
  }

  /** The first tombstone stands; a later one can only add that work may be discarded. */
  bury(workspaceId: string, tombstone: Tombstone): void {
    this.#store.transaction(() => {
      const known = this.byId(workspaceId)?.tombstone ?? tombstone;
      const merged = {
        ...known,
        discard_work: known.discard_work || tombstone.discard_work,
        deleter: tombstone.deleter,
      };
      this.#store.run(
        'UPDATE agents SET tombstone = ? WHERE workspace_id = ?',
        JSON.stringify(merged),
        workspaceId,
      );
    }, true);
  }

  unbury(workspaceId: string): void {
    this.#store.run('UPDATE agents SET tombstone = NULL WHERE workspace_id = ?', workspaceId);
  }

  /** Set before a process that is not the runner writes to a journal; publishing it clears it. */
  markUnpublished(workspaceId: string): void {
    this.#store.run('UPDATE summaries SET seq = -1 WHERE workspace_id = ?', workspaceId);
  }

  removeSummary(workspaceId: string): void {
    this.#store.run('DELETE FROM summaries WHERE workspace_id = ?', workspaceId);
  }

  remove(workspaceId: string): void {
    this.#store.transaction(() => {
      this.#store.run('DELETE FROM agents WHERE workspace_id = ?', workspaceId);
      this.removeSummary(workspaceId);
      this.#store.run('DELETE FROM slots WHERE workspace_id = ?', workspaceId);
    }, true);
  }
}

function agentRow(row: Record<string, unknown>): AgentRow {
  return {
    workspace_id: String(row['workspace_id']),
    name: String(row['name']),
    project: String(row['project']),
    role: String(row['role']),
    created_at: String(row['created_at']),
    created_by: String(row['created_by']),
    key: String(row['key']),
    tombstone: ownJson<Tombstone>(row['tombstone']),
    unreachable_since: row['unreachable_since'] === null ? null : Number(row['unreachable_since']),
    runner: ownJson<ProcessIdentity>(row['runner']),
    unpublished: Number(row['seq'] ?? 0) < 0,
    summary: agentSummary(row),
  };
}
