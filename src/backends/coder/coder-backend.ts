import { join } from 'node:path';
import { FleetError } from '../../domain/values/errors.ts';
import type { Clock } from '../../domain/clock.ts';
import type { ConversationRequest } from '../../domain/conversation/conversation-page.ts';
import type { AgentDiff, DiffRequest } from '../../domain/diff/agent-diff.ts';
import type { CheckpointView } from '../../domain/merge/checkpoint-view.ts';
import type { Updated, UpdateStrategy } from '../../domain/merge/update.ts';
import type { ShownChecks } from '../../domain/review/shown-checks.ts';
import type { LogRequest } from '../../domain/task.ts';
import { type Page } from '../../domain/values/paging.ts';
import { actorOf, type Actor, type Caller } from '../../domain/principal.ts';
import type { Project, Role } from '../../domain/project.ts';
import type { Store } from '../../store/store.ts';
import type { Publishing } from '../publishing.ts';
import type { TerminalEnds } from '../workspace-access.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CheckAgentRequest,
  CreateRequest,
  Deleted,
  DeleteOptions,
} from '../backend.ts';
import { pollBusy } from './agentapi/poll-busy.ts';
import { adoptWorkspace, alreadyAgent, noWorkspace } from './workspaces/adopt-workspace.ts';
import { lookAt, lookFor } from './workspaces/builds.ts';
import { CoderClient, type CoderServer, type Pace } from './client/coder-client.ts';
import type { CoderContext } from './model/coder-context.ts';
import { CoderPulse } from './workspaces/coder-pulse.ts';
import { CoderProjects, type NamedTemplate } from './coder-projects.ts';
import { CoderReads } from './coder-reads.ts';
import { CoderRecords } from './coder-records.ts';
import { CoderRows, unmarkedOf, type CoderRow } from './model/coder-rows.ts';
import { CoderWork } from './coder-work.ts';
import { freshChecks, wireChecks } from './workspaces/checks-parameter.ts';
import { createWorkspace, madeBefore, nameTaken } from './workspaces/create-workspace.ts';
import { deleteWorkspace } from './workspaces/delete-workspace.ts';
import { FleetKey } from './model/fleet-key.ts';
import { keepWork } from './workspaces/keep-work.ts';
import { restartWorkspace, stopWorkspace, type Lifecycle } from './workspaces/lifecycle.ts';
import { keepWorkspaces } from './workspaces/keep-workspaces.ts';
import { listWorkspaces } from './workspaces/list-workspaces.ts';
import { Mirror } from './model/mirror.ts';
import { offlineProblem } from './offline-problem.ts';
import { OthersAgents } from './workspaces/others-agents.ts';
import { PARAMETERS } from './model/parameters.ts';
import { RecentAgents } from './recent-agents.ts';
import { runnerOf } from './runner-of.ts';
import { restartsAtomically } from './server-features.ts';
import { VersionStore } from './model/version-store.ts';
import type { WorkspaceRunner } from './model/workspace-runner.ts';
import type { Workspace } from './model/workspace-schema.ts';
import { mainAgent } from './model/workspace-state.ts';

export interface CoderBackendParts {
  /** The backend's name in the configuration. */
  readonly name: string;
  /** Throws while it is not known. */
  server(): CoderServer;
  /** Projects of the configuration; none: every template that Fleet can drive is one. */
  readonly templates: readonly NamedTemplate[];
  readonly home: string;
  readonly store: Store;
  readonly clock: Clock;
  readonly pace?: Pace;
}

/** Agents in Coder workspaces: builds and app statuses for lists, the app proxy for their runners. */
export class CoderBackend implements Backend {
  readonly name: string;
  readonly context: CoderContext;
  readonly coderProjects: CoderProjects;
  readonly publishing: () => Promise<Publishing>;
  readonly #work = new CoderWork((agent) => this.#runner(agent));
  readonly #home: string;
  readonly #records: CoderRecords;
  readonly #reads: CoderReads;
  /** The workspaces as they were last seen. */
  readonly #seen = new Map<string, Workspace>();
  readonly #pulse: CoderPulse;
  readonly #recent = new RecentAgents();
  readonly #others: OthersAgents;

  constructor({ name, server, templates, home, store, clock, pace }: CoderBackendParts) {
    this.name = name;
    this.#home = home;
    const client = new CoderClient(server, pace);
    const rows = new CoderRows(store, name);
    const directory = join(home, 'coder');
    let key: FleetKey | undefined;
    this.context = {
      backend: name,
      client,
      rows,
      mirror: new Mirror({ directory, store, rows, clock }),
      versions: new VersionStore(client, rows),
      clock,
      key: () => (key ??= new FleetKey(directory)),
    };
    this.publishing = async () => this.#work;
    this.#pulse = new CoderPulse(client, store);
    this.coderProjects = new CoderProjects(this.context, templates);
    this.#records = new CoderRecords(this.context, store);
    this.#others = new OthersAgents(this.context);
    this.#reads = new CoderReads({
      context: this.context,
      runner: (agent) => this.#runner(agent),
      workspace: (agent) => this.#workspace(agent),
      row: (agent) => this.#row(agent),
      record: (workspace, row) => this.#records.record(workspace, row),
    });
  }

  projects(): Promise<readonly Project[]> {
    return this.coderProjects.all();
  }

  roles(project: Project): Promise<readonly Role[]> {
    return this.coderProjects.roles(project);
  }

  async list(): Promise<readonly AgentRecord[]> {
    const known = this.context.rows.all();
    const workspaces = await this.#pulse.timed(() => listWorkspaces(this.context.client, unmarkedOf(known)));
    for (const workspace of workspaces) this.#seen.set(workspace.id, workspace);
    const records = await this.#records.of(workspaces, known);
    this.#recent.set(records);
    await this.#noticeGone(new Set(workspaces.map(({ id }) => id)), known.values());
    const heard = await pollBusy(records, {
      isAgentApi: ({ workspace_id }) => known.get(workspace_id)?.origin?.agentapi !== undefined,
      hear: (agent) => this.#reads.hear(agent, false),
    });
    if (heard.size === 0) return records;
    return records.map((agent) =>
      heard.has(agent) ? this.#records.record(this.#workspace(agent), this.#row(agent)) : agent,
    );
  }

  async find(name: string): Promise<AgentRecord | undefined> {
    if (name.includes('/')) return this.#others.find(name);
    const workspace = await lookFor(this.context, name);
    return workspace === undefined ? undefined : this.#recordOf(workspace);
  }

  recall(name: string): AgentRecord | undefined {
    const agent = this.#recent.of(name);
    // AgentAPI is not asked before its workspace, which may have been restarted.
    return agent === undefined || this.#row(agent).origin?.agentapi !== undefined ? undefined : agent;
  }

  async refresh(agent: AgentRecord): Promise<void> {
    if (this.#others.details(agent) === undefined) await this.#reads.refresh(agent);
  }

  async details(agent: AgentRecord): Promise<AgentDetails> {
    return this.#others.details(agent) ?? this.#reads.details(agent);
  }

  history(agent: AgentRecord, page: Page) {
    return this.#reads.history(agent, page);
  }

  conversation(agent: AgentRecord, request: ConversationRequest) {
    return this.#reads.conversation(agent, request);
  }

  log(agent: AgentRecord, request: LogRequest) {
    return this.#reads.log(agent, request);
  }

  facts(agent: AgentRecord) {
    return this.#reads.facts(agent);
  }

  approvals(agent: AgentRecord) {
    return this.#reads.approvals(agent);
  }

  async create(request: CreateRequest): Promise<AgentDetails> {
    const versionId = await this.coderProjects.versionOf(request.project);
    const checked = wireChecks(await this.coderProjects.checkPlan(request.project.name), request.spec);
    const started = await this.#started(request);
    const workspace = await createWorkspace(this.context, started, { versionId, checked });
    const record = await this.#recordOf(workspace);
    if (record === undefined) throw new Error('a workspace that Fleet made is not an agent');
    return this.details(record);
  }

  /** A fork starts from a branch that the other agent's workspace pushes first. */
  async #started(request: CreateRequest): Promise<CreateRequest> {
    const { checkpoint, workspace_id, name } = request;
    if (checkpoint === undefined || (await madeBefore(this.context, request)) !== undefined) return request;
    const source = this.context.rows.byId(checkpoint.workspace_id);
    if (source === undefined) throw noLonger({ name });
    // Before the branch is pushed: a fork that is refused leaves nothing.
    if ((await lookFor(this.context, name)) !== undefined) throw nameTaken(name);
    const branch = `fleet/${name}`;
    await this.#work.fork(source, { branch, workspace_id, number: checkpoint.number });
    return { ...request, branch };
  }

  diff(agent: AgentRecord, request: DiffRequest): Promise<AgentDiff> {
    return this.#work.diff(agent, request);
  }

  checkpoints(agent: AgentRecord): Promise<readonly CheckpointView[]> {
    return this.#work.checkpoints(agent);
  }

  checks(agent: AgentRecord): Promise<ShownChecks> {
    return this.#work.checks(agent);
  }

  check(agent: AgentRecord, request: CheckAgentRequest): Promise<ShownChecks> {
    return this.#work.check(agent, request);
  }

  update(agent: AgentRecord, strategy: UpdateStrategy, by: Actor): Promise<Updated> {
    return this.#work.update(agent, strategy, by);
  }

  async stop(agent: AgentRecord, by: Actor): Promise<AgentRecord> {
    await stopWorkspace(this.context, this.#lifecycle(agent, by));
    return this.#again(agent);
  }

  async restart(agent: AgentRecord, caller: Caller): Promise<AgentRecord> {
    const atomic = await restartsAtomically(this.context.client);
    const lifecycle = this.#lifecycle(agent, actorOf(caller));
    const checks = await freshChecks(this.context, lifecycle.workspace, (project) =>
      this.coderProjects.checkPlan(project),
    );
    const parameters = { ...lifecycle.parameters, ...checks };
    await restartWorkspace(this.context, { ...lifecycle, parameters }, atomic);
    return this.#again(agent);
  }

  async delete(agent: AgentRecord, { by, signal, progress, discard_work }: DeleteOptions): Promise<Deleted> {
    const workspace = this.#workspace(agent);
    const kept = await keepWork(this.context, {
      agent,
      workspace,
      runner: this.#runner(agent),
      by,
      discard_work,
    });
    const gone = await deleteWorkspace(this.context, workspace, { signal, progress });
    if (gone) this.#forget(this.#row(agent), by.principal);
    return { kept, notes: [], gone };
  }

  /** Makes a workspace of this user an agent, by name. */
  async adopt(name: string, request: { readonly by: Actor; readonly role: string | undefined }) {
    const workspace = await lookFor(this.context, name);
    if (workspace === undefined) throw noWorkspace(name, this.name);
    if ((await this.#recordOf(workspace)) !== undefined) throw alreadyAgent(name);
    await adoptWorkspace(this.context, workspace, request);
    return this.#again({ name, workspace_id: workspace.id });
  }

  runner(agent: AgentRecord): WorkspaceRunner {
    return this.#runner(agent);
  }

  changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    return this.#pulse.changed(timeout_ms, { signal, workspaces: this.#seen.values() });
  }

  /** What somebody has to do now and then: see `keepWorkspaces`. */
  async keep(): Promise<void> {
    const agents = await this.list();
    const all = agents.map((agent) => ({
      agent,
      workspace: this.#workspace(agent),
      hear: () => this.#reads.hear(agent, true),
    }));
    await keepWorkspaces(this.context, all, this.context.clock.now());
  }

  /** Milliseconds until one should look again without a reason. */
  get pace_ms(): number {
    return this.#pulse.pace_ms;
  }

  async terminal(agent: AgentRecord, command: readonly string[], ends: TerminalEnds): Promise<number> {
    const offline = offlineProblem(agent, this.context.clock);
    if (offline !== undefined) throw offline;
    const workspace = this.#workspace(agent);
    const main = mainAgent(workspace, this.#row(agent).origin?.agentapi);
    if (main === undefined || main.status !== 'connected') throw notConnected(agent.name);
    const { workspaceShell } = await import('./client/workspace-shell.ts');
    const { client } = this.context;
    return workspaceShell(client, { agent_id: main.id, agent_name: agent.name, command, ends });
  }

  elsewhere(agent_name: string): string {
    return `a workspace on Coder. Use: coder ssh ${agent_name}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#pulse[Symbol.dispose]();
    this.context.mirror[Symbol.dispose]();
  }

  async #recordOf(workspace: Workspace): Promise<AgentRecord | undefined> {
    this.#seen.set(workspace.id, workspace);
    const record = await this.#records.one(workspace);
    if (record !== undefined) this.#recent.add(record);
    return record;
  }

  async #again(agent: Pick<AgentRecord, 'name' | 'workspace_id'>): Promise<AgentRecord> {
    const workspace = await lookAt(this.context, agent.workspace_id);
    const record = workspace === undefined ? undefined : await this.#recordOf(workspace);
    if (record !== undefined) return record;
    this.#recent.forget(agent.workspace_id);
    throw noLonger(agent);
  }

  #runner(agent: Pick<AgentRecord, 'name' | 'workspace_id'>): WorkspaceRunner {
    return runnerOf(this.context, {
      workspace: this.#workspace(agent),
      origin: this.#row(agent).origin,
      offline: async () => offlineProblem(await this.#again(agent), this.context.clock),
    });
  }

  #lifecycle(agent: AgentRecord, by: Actor): Lifecycle {
    const { origin } = this.#row(agent);
    const parameters: Record<string, string> =
      origin?.agentapi === undefined ? { [PARAMETERS.public_key]: this.context.key().public_text } : {};
    return { workspace: this.#workspace(agent), runner: this.#runner(agent), by, parameters };
  }

  /** Workspaces that this fleet knows and Coder does not list any more. One may have been made since the list was: each
   *  is looked at. */
  async #noticeGone(present: ReadonlySet<string>, known: Iterable<CoderRow>): Promise<void> {
    for (const row of known) {
      const { workspace_id: id } = row;
      if (row.gone || row.origin === null || present.has(id) || !this.#seen.has(id)) continue;
      if ((await lookAt(this.context, id)) === undefined) this.#forget(row, 'coder:coder');
    }
  }

  #forget(row: CoderRow, by: string): void {
    this.#records.gone(row, by);
    this.#seen.delete(row.workspace_id);
    this.#recent.forget(row.workspace_id);
    this.context.mirror.archive(row.workspace_id, join(this.#home, 'archive'));
  }

  #workspace(agent: Pick<AgentRecord, 'name' | 'workspace_id'>): Workspace {
    const workspace = this.#seen.get(agent.workspace_id);
    if (workspace === undefined) throw noLonger(agent);
    return workspace;
  }

  #row(agent: Pick<AgentRecord, 'name' | 'workspace_id'>): CoderRow {
    const row = this.context.rows.byId(agent.workspace_id);
    if (row === undefined) throw noLonger(agent);
    return row;
  }
}

function noLonger({ name }: Pick<AgentRecord, 'name'>): FleetError {
  return new FleetError('NOT_FOUND', `The agent "${name}" no longer exists.`, { field: 'agent_name' });
}

function notConnected(name: string): FleetError {
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The workspace of agent "${name}" is not connected to Coder. Retry when it is running; show_agent has its status.`,
    { reason: 'workspace_not_connected' },
  );
}
