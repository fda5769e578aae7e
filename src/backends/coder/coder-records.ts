import type { Change } from '../../domain/changes.ts';
import { deriveStatus } from '../../domain/status.ts';
import { NO_FIELDS } from '../../domain/metadata/taskfile-metadata.ts';
import { EventLog } from '../../store/event-log.ts';
import type { Store } from '../../store/store.ts';
import type { AgentRecord } from '../backend.ts';
import type { CoderContext } from './model/coder-context.ts';
import { originIn, pullRequestBefore } from './model/coder-origin.ts';
import type { CoderRow } from './model/coder-rows.ts';
import { parametersSchema, type Workspace } from './model/workspace-schema.ts';
import { mainApp, workspaceState } from './model/workspace-state.ts';
import { FLEET_APP } from './model/parameters.ts';
import { learnFailure } from './workspaces/builds.ts';

/** Workspaces as agents: what Coder says of one, joined with what this fleet knows of it. */
export class CoderRecords {
  readonly #context: CoderContext;
  readonly #store: Store;
  readonly #events: EventLog;

  constructor(context: CoderContext, store: Store) {
    this.#context = context;
    this.#store = store;
    this.#events = new EventLog(store);
  }

  /** The records of those workspaces that are agents. */
  async of(
    workspaces: readonly Workspace[],
    known: ReadonlyMap<string, CoderRow>,
  ): Promise<readonly AgentRecord[]> {
    const strangers = workspaces.filter(({ id }) => known.get(id) === undefined);
    await this.#meet(strangers);
    const rows = strangers.length === 0 ? known : this.#context.rows.all();
    // What changed is written at once: it may be much.
    return this.#store.transaction(() =>
      workspaces.flatMap((workspace) => {
        const row = rows.get(workspace.id);
        return row === undefined || row.origin === null ? [] : [this.record(workspace, row)];
      }),
    );
  }

  async one(workspace: Workspace): Promise<AgentRecord | undefined> {
    const { rows } = this.#context;
    if (rows.byId(workspace.id) === undefined) await this.#meet([workspace]);
    await learnFailure(this.#context, workspace);
    const row = rows.byId(workspace.id);
    return row === undefined || row.origin === null ? undefined : this.record(workspace, row);
  }

  record(workspace: Workspace, row: CoderRow): AgentRecord {
    const { backend, clock } = this.#context;
    const { origin, summary } = row;
    if (origin === null) throw new Error('a workspace that is not an agent has no record');
    const unhealthy_since = this.#unhealthySince(workspace, row);
    const { state, observed } = workspaceState(workspace, { ...row, origin, unhealthy_since }, clock.now());
    const record: AgentRecord = {
      name: workspace.name,
      workspace_id: workspace.id,
      project: origin.project || workspace.template_display_name || workspace.template_name,
      role: origin.role || this.#presetName(workspace),
      backend,
      created_at: iso(workspace.created_at),
      created_by: origin.created_by || `coder:${workspace.owner_name}`,
      state,
      observed,
      git: summary?.git ?? null,
      pull_request: summary === null ? pullRequestBefore(origin) : summary.pull_request,
      listed: summary?.listed ?? NO_FIELDS,
    };
    this.#tellStatus(record, row);
    return record;
  }

  /** The deletion of an agent is published once, by the process that notices it. */
  gone(row: CoderRow, by: string): void {
    const { rows, clock } = this.#context;
    const seq = (row.summary?.state.seq ?? 0) + 1;
    if (!rows.setGone(row.workspace_id)) return;
    const at = new Date(clock.now().at).toISOString();
    this.#add(row, { seq, at, kind: 'agent.deleted', data: { by } });
  }

  /** Asks once what workspaces are that were never seen before. */
  async #meet(strangers: readonly Workspace[]): Promise<void> {
    const { client, rows, versions } = this.#context;
    const met = await Promise.all(
      strangers.map(async (workspace) => {
        const { id, template_version_id } = workspace.latest_build;
        const given = await client.ask(`/workspacebuilds/${id}/parameters`, parametersSchema);
        const parameters = Object.fromEntries(given.map(({ name, value }) => [name, value]));
        return { workspace, origin: originIn(parameters, await versions.of(template_version_id)) };
      }),
    );
    this.#store.transaction(() => {
      for (const { workspace, origin } of met) rows.learn(workspace, origin);
    });
  }

  #presetName({ latest_build: build }: Workspace): string {
    const presets = this.#context.versions.known(build.template_version_id)?.presets ?? [];
    return presets.find(({ id }) => id === build.template_version_preset_id)?.name ?? '-';
  }

  /** Coder says that an app is unhealthy, and not since when. */
  #unhealthySince(workspace: Workspace, { workspace_id, unhealthy_since, origin }: CoderRow): number | null {
    const { rows, clock } = this.#context;
    const app = mainApp(workspace, origin?.agentapi ?? FLEET_APP);
    const sick = workspace.latest_build.status === 'running' && app?.health === 'unhealthy';
    if (sick === (unhealthy_since !== null)) return unhealthy_since;
    const since = sick ? clock.now().at : null;
    rows.setUnhealthySince(workspace_id, since);
    return since;
  }

  #tellStatus(record: AgentRecord, row: CoderRow): void {
    const { rows, clock } = this.#context;
    const now = clock.now();
    const { status, status_reason } = deriveStatus(record.state, record.observed, now);
    if (status === row.status || !rows.setStatus(row, status)) return;
    const at = new Date(now.at).toISOString();
    const { seq } = record.state;
    const change = { seq, at, moment: at, kind: 'agent.status' as const };
    this.#add(row, { ...change, data: { status, status_reason, from: row.status || null } });
  }

  #add(row: CoderRow, change: Change): void {
    this.#events.add(row, [change]);
  }
}

function iso(time: string): string {
  return new Date(time).toISOString();
}
