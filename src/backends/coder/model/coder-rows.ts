import type { Store } from '../../../store/store.ts';
import { agentSummary, ownJson, type AgentSummary } from '../../agent-summary.ts';
import type { CoderOrigin } from './coder-origin.ts';

/** What this fleet knows of a workspace. */
export interface CoderRow {
  readonly workspace_id: string;
  readonly name: string;
  /** Null for a workspace that is not an agent. */
  readonly origin: CoderOrigin | null;
  /** The status that was told last. */
  readonly status: string;
  /** Since when its app is known to be unhealthy. */
  readonly unhealthy_since: number | null;
  /** Why its build failed. */
  readonly failure: { readonly build_id: string; readonly reason: string } | null;
  /** When its runner last answered. */
  readonly heard_at: string | null;
  readonly gone: boolean;
  readonly summary: AgentSummary | null;
}

/** The agents of which only this fleet knows that they are some. */
export function unmarkedOf(rows: ReadonlyMap<string, CoderRow>): readonly string[] {
  return [...rows.values()]
    .filter(({ gone, origin }) => !gone && origin?.unmarked === true)
    .map(({ workspace_id }) => workspace_id);
}

const SELECT = `SELECT c.*, s.state, s.progress, s.git, s.pull_request, s.listed
  FROM coder_agents c LEFT JOIN summaries s USING (workspace_id)`;

/** The agents of one Coder server, in the store. */
export class CoderRows {
  readonly #store: Store;
  readonly #backend: string;
  /** As they were last read: a thousand are not read again to find that nothing changed. */
  #read: { readonly version: string; readonly rows: ReadonlyMap<string, CoderRow> } | undefined;

  constructor(store: Store, backend: string) {
    this.#store = store;
    this.#backend = backend;
  }

  all(): ReadonlyMap<string, CoderRow> {
    const version = this.#store.version();
    if (this.#read?.version === version) return this.#read.rows;
    const rows = this.#store.all(`${SELECT} WHERE c.backend = ?`, this.#backend).map(rowOf);
    this.#read = { version, rows: new Map(rows.map((row) => [row.workspace_id, row])) };
    return this.#read.rows;
  }

  byId(workspaceId: string): CoderRow | undefined {
    const row = this.#store.get(`${SELECT} WHERE c.workspace_id = ?`, workspaceId);
    return row === undefined ? undefined : rowOf(row);
  }

  /** The workspace that was made for an id of ours, also when it is gone. */
  byAgentId(agentId: string): CoderRow | undefined {
    const row = this.#store.get(`${SELECT} WHERE c.agent_id = ? AND c.backend = ?`, agentId, this.#backend);
    return row === undefined ? undefined : rowOf(row);
  }

  /** What a workspace is does not change: the first word stands, unless it was none of ours. */
  learn(workspace: { readonly id: string; readonly name: string }, origin: CoderOrigin | null): void {
    this.#store.run(
      `INSERT INTO coder_agents (workspace_id, backend, name, agent_id, origin) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT (workspace_id) DO UPDATE SET name = excluded.name,
         agent_id = coalesce(agent_id, excluded.agent_id), origin = coalesce(excluded.origin, origin)`,
      workspace.id,
      this.#backend,
      workspace.name,
      origin?.agent_id ?? null,
      origin === null ? null : JSON.stringify(origin),
    );
  }

  /** False when another process has told this status already. */
  setStatus({ workspace_id, status: before }: CoderRow, status: string): boolean {
    const changed = this.#store.run(
      'UPDATE coder_agents SET status = ? WHERE workspace_id = ? AND status = ?',
      status,
      workspace_id,
      before,
    );
    return changed > 0;
  }

  setUnhealthySince(workspaceId: string, since: number | null): void {
    this.#store.run('UPDATE coder_agents SET unhealthy_since = ? WHERE workspace_id = ?', since, workspaceId);
  }

  setFailure(workspaceId: string, failure: CoderRow['failure']): void {
    this.#store.run(
      'UPDATE coder_agents SET failure = ? WHERE workspace_id = ?',
      JSON.stringify(failure),
      workspaceId,
    );
  }

  setHeardAt(workspaceId: string, at: string): void {
    this.#store.run('UPDATE coder_agents SET heard_at = ? WHERE workspace_id = ?', at, workspaceId);
  }

  /** False when that is known already. */
  setGone(workspaceId: string): boolean {
    return this.#store.transaction(() => {
      const changed = this.#store.run(
        'UPDATE coder_agents SET gone = 1 WHERE workspace_id = ? AND gone = 0',
        workspaceId,
      );
      this.#store.run('DELETE FROM summaries WHERE workspace_id = ?', workspaceId);
      return changed > 0;
    }, true);
  }

  version(versionId: string): unknown {
    const row = this.#store.get('SELECT facts FROM coder_versions WHERE version_id = ?', versionId);
    return row === undefined ? undefined : JSON.parse(String(row['facts']));
  }

  setVersion(versionId: string, facts: object): void {
    this.#store.run('INSERT OR REPLACE INTO coder_versions VALUES (?, ?)', versionId, JSON.stringify(facts));
  }
}

function rowOf(row: Readonly<Record<string, unknown>>): CoderRow {
  const { workspace_id, name, origin, status, unhealthy_since, failure, heard_at, gone } = row;
  return {
    workspace_id: String(workspace_id),
    name: String(name),
    origin: ownJson<CoderOrigin>(origin),
    status: String(status),
    unhealthy_since: unhealthy_since === null ? null : Number(unhealthy_since),
    failure: ownJson<NonNullable<CoderRow['failure']>>(failure),
    heard_at: heard_at === null ? null : String(heard_at),
    gone: Number(gone) === 1,
    summary: agentSummary(row),
  };
}
