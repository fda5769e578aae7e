import { existsSync } from 'node:fs';
import type { Clock } from '../../domain/clock.ts';
import type { ConversationPage, ConversationRequest } from '../../domain/conversation/conversation-page.ts';
import type { CheckpointView } from '../../domain/merge/checkpoint-view.ts';
import type { AgentDiff, DiffRequest } from '../../domain/diff/agent-diff.ts';
import { FleetError, quote, toFleetError } from '../../domain/values/errors.ts';
import type { LogRequest } from '../../domain/task.ts';
import type { Page } from '../../domain/values/paging.ts';
import { actorOf, type Actor, type Caller } from '../../domain/principal.ts';
import type { Project, Role } from '../../domain/project.ts';
import type { ShownChecks } from '../../domain/review/shown-checks.ts';
import { checkInstalled } from '../../platform/package.ts';
import type { RunnerClient } from '../../runner/api/runner-client.ts';
import { conversationEnd, readConversation } from '../../runner/journal/read-conversation.ts';
import { LandingStore } from '../../store/landing-store.ts';
import { Looks } from '../../store/looks.ts';
import { once } from '../../platform/once.ts';
import type { Updated, UpdateStrategy } from '../../domain/merge/update.ts';
import type { Store } from '../../store/store.ts';
import type { Merging } from '../merging.ts';
import type { Publishing } from '../publishing.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CheckAgentRequest,
  CreateRequest,
  Deleted,
  DeleteOptions,
  Kept,
  RestoreRequest,
  ShortWait,
} from '../backend.ts';
import type { WorkspaceAccess } from '../workspace-access.ts';
import { AgentRecords } from './agent-records.ts';
import { AgentRows, type AgentRow } from './records/agent-rows.ts';
import { hasLiveRunner } from './records/with-owned-journal.ts';
import { deleteLocalAgent } from './kept/delete-agent.ts';
import type { KeptInProject } from './kept/kept-repositories.ts';
import { restartLocalAgent, stopLocalAgent } from './runner/lifecycle.ts';
import { listKeptAgents } from './kept/list-kept.ts';
import type { LocalContext } from './records/local-context.ts';
import { LocalKeeper } from './local-keeper.ts';
import { LocalUpkeep } from './local-upkeep.ts';
import type { LocalProjects } from './local-projects.ts';
import { LocalRunnerClient } from './runner/local-runner-client.ts';
import { firstTaskOf, type Origin } from './records/origin.ts';
import { agentPaths } from './records/paths.ts';
import { waitForJournal } from './records/wait-for-journal.ts';
import { refreshLocalAgent } from './runner/refresh-agent.ts';
import { restoreLocalAgent } from './kept/restore-agent.ts';
import { launchRunner } from './runner/start-runner.ts';
import { agentShell, workspaceOf } from './runner/agent-shell.ts';
import type { WorkOf } from './workspace/agent-work-of.ts';
import { agentDiff } from './workspace/agent-diff.ts';
import type { MergeWatch } from './watch/merge-watch.ts';

export interface LocalBackendParts {
  readonly home: string;
  readonly store: Store;
  readonly clock: Clock;
  /** Loaded when it is needed: most looks at a fleet need no configuration. */
  readonly projects: () => Promise<LocalProjects>;
}

const KEEP_EVERY_MS = 2_000;

/** Agents on this machine: rows in the store, repositories of their own, a runner process beside each live one. */
export class LocalBackend implements Backend {
  readonly name = 'local';
  readonly pace_ms = KEEP_EVERY_MS;
  readonly upkeep: LocalUpkeep;
  readonly workspaces: WorkspaceAccess;
  readonly merging: () => Promise<Merging>;
  readonly publishing: () => Promise<Publishing>;
  readonly #parts: LocalBackendParts;
  readonly #context: LocalContext;
  readonly #records: AgentRecords;
  readonly #keeper: LocalKeeper;
  readonly #looks: Looks;
  readonly #watch: () => Promise<MergeWatch>;

  constructor(parts: LocalBackendParts) {
    this.#parts = parts;
    this.#context = {
      home: parts.home,
      store: parts.store,
      rows: new AgentRows(parts.store),
      clock: parts.clock,
    };
    this.#records = new AgentRecords(this.#context);
    this.#keeper = new LocalKeeper(this.#context);
    this.#looks = new Looks(parts.store);
    this.upkeep = new LocalUpkeep(this.#context, parts.projects);
    this.merging = once(async () => {
      const { LocalMerging } = await import('./merge/local-merging.ts');
      return new LocalMerging(this.#context, {
        stateOf: async (row) => (await this.#records.of(row)).state,
        projectChecks: async (project) => (await parts.projects()).checksOf(project),
      });
    });
    this.#watch = once(async () => {
      const { MergeWatch } = await import('./watch/merge-watch.ts');
      return new MergeWatch({
        context: this.#context,
        agents: () => this.#records.all(),
        merging: this.merging,
        forecasts: async () => (await parts.projects()).forecasts(),
      });
    });
    this.publishing = once(async () => {
      const { LocalPublishing } = await import('./publish/local-publishing.ts');
      return new LocalPublishing(this.#context);
    });
    this.workspaces = {
      directoryOf: (agent) => workspaceOf(this.#context, this.#row(agent)),
      shell: (agent) => agentShell(this.#context, this.#row(agent)),
    };
  }

  async projects(): Promise<readonly Project[]> {
    return (await this.#parts.projects()).projects();
  }

  async roles(project: Project): Promise<readonly Role[]> {
    return (await this.#parts.projects()).roles(project);
  }

  list(): Promise<readonly AgentRecord[]> {
    noteLook(this.#looks, this.#parts.clock.now().at);
    return this.#records.all();
  }

  async find(name: string): Promise<AgentRecord | undefined> {
    const row = this.#context.rows.byName(name);
    return row === undefined ? undefined : this.#records.of(row);
  }

  refresh(agent: AgentRecord): Promise<void> {
    return refreshLocalAgent(this.#context, agent);
  }

  async details(agent: AgentRecord): Promise<AgentDetails> {
    return this.#records.details(agent);
  }

  async history(agent: AgentRecord, page: Page) {
    return this.#records.read(agent, (reader) => {
      if (reader !== undefined) return { ...reader.history(page), as_of: this.#now() };
      const first = firstTaskOf(this.#origin(agent));
      return { rows: page.page === 1 ? [first] : [], total_count: 1, as_of: this.#now() };
    });
  }

  async log(agent: AgentRecord, request: LogRequest) {
    return this.#records.read(agent, (reader) => ({
      ...(reader?.log(request) ?? { rows: [], total_count: 0 }),
      as_of: this.#now(),
    }));
  }

  async conversation(agent: AgentRecord, request: ConversationRequest): Promise<ConversationPage> {
    return this.#records.read(agent, (reader) => readConversation(reader, request));
  }

  conversationEnd(agent: AgentRecord, known: string | undefined, wait: ShortWait): Promise<string> {
    const look = (): string => this.#records.read(agent, conversationEnd);
    const { journal } = agentPaths(this.#context.home, agent.workspace_id);
    return waitForJournal(journal, known, { ...wait, look });
  }

  async facts(agent: AgentRecord) {
    return this.#records.read(agent, (reader) => reader?.facts() ?? []);
  }

  diff(agent: AgentRecord, request: DiffRequest): Promise<AgentDiff> {
    return agentDiff(this.#workOf(agent), { ...request, running: agent.state.running?.id ?? null });
  }

  async checkpoints(agent: AgentRecord): Promise<readonly CheckpointView[]> {
    const { listCheckpoints } = await import('./workspace/list-checkpoints.ts');
    return listCheckpoints(this.#workOf(agent));
  }

  async checks(agent: AgentRecord): Promise<ShownChecks> {
    const { showAgentChecks } = await import('./runner/check-agent.ts');
    return showAgentChecks(this.#context, this.#origin(agent), agent);
  }

  async check(agent: AgentRecord, request: CheckAgentRequest): Promise<ShownChecks> {
    const { checkLocalAgent } = await import('./runner/check-agent.ts');
    return checkLocalAgent(this.#context, { row: this.#row(agent), origin: this.#origin(agent), request });
  }

  update(agent: AgentRecord, strategy: UpdateStrategy, by: Actor): Promise<Updated> {
    return new LocalRunnerClient(this.#context, this.#row(agent)).update(strategy, by);
  }

  async approvals(agent: AgentRecord) {
    if (agent.state.approvals.length === 0) return [];
    return this.#records.read(agent, (reader) => reader?.approvals(agent.name) ?? []);
  }

  async create(request: CreateRequest): Promise<AgentDetails> {
    const known = this.#context.rows.byId(request.workspace_id);
    if (known !== undefined) return this.#knownAgent(known);
    checkNotDeleted(this.#context, request);
    const origin = await (
      await this.#parts.projects()
    ).originOf(request, this.#now(), (id) => this.#context.rows.origin(id));
    checkInstalled();
    const made = this.#context.rows.insert(origin);
    const row = this.#context.rows.byId(request.workspace_id);
    if (row === undefined) {
      throw new FleetError(
        'CONFLICT',
        `There is an agent ${quote(request.name)} already. Choose another name, or leave it out.`,
        {
          field: 'name',
          reason: 'name_taken',
        },
      );
    }
    if (made) launchRunner(this.#context, request.workspace_id);
    return this.details(await this.#records.of(row));
  }

  /** The call was made before. The process that made it may have died before it started the agent's runner. */
  async #knownAgent(row: AgentRow): Promise<AgentDetails> {
    const agent = await this.#records.of(row);
    const waits = row.tombstone === null && agent.state.phase === 'pending';
    if (waits && !hasLiveRunner(this.#context, row.workspace_id))
      launchRunner(this.#context, row.workspace_id);
    return this.details(agent);
  }

  async stop(agent: AgentRecord, by: Actor): Promise<AgentRecord> {
    await stopLocalAgent(this.#context, this.#row(agent), by);
    return this.#records.of(this.#row(agent));
  }

  async restart(agent: AgentRecord, caller: Caller): Promise<AgentRecord> {
    const projects = await this.#parts.projects();
    checkInstalled();
    await restartLocalAgent(this.#context, this.#row(agent), {
      by: actorOf(caller),
      origin: projects.refreshed(this.#origin(agent)),
    });
    return this.#records.of(this.#row(agent));
  }

  delete(agent: AgentRecord, options: DeleteOptions): Promise<Deleted> {
    return deleteLocalAgent(this.#context, this.#row(agent), options);
  }

  async kept(): Promise<Kept> {
    return listKeptAgents({
      home: this.#parts.home,
      branches: await (await this.#parts.projects()).kept(),
      isAgent: (id) => this.#context.rows.byId(id) !== undefined,
    });
  }

  async restore(request: RestoreRequest): Promise<AgentDetails | undefined> {
    const row = await restoreLocalAgent(this.#context, request);
    if (row !== undefined) return this.details(await this.#records.of(row));
    const { kept } = await (await this.#parts.projects()).kept();
    const left = kept.find(({ workspace_id }) => workspace_id === request.workspace_id);
    if (left !== undefined) throw onlyBranch(left);
    return undefined;
  }

  runner(agent: AgentRecord): RunnerClient {
    return new LocalRunnerClient(this.#context, this.#row(agent));
  }

  changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    return this.#context.store.changed(timeout_ms, signal);
  }

  /** What somebody has to do now and then: see `LocalKeeper`. */
  async keep(signal: AbortSignal): Promise<void> {
    await this.#records.all();
    await this.#keeper.keep(signal);
    const landings = new LandingStore(this.#context.store);
    if (landings.unfinished().length > 0) {
      const { finishDeadLandings } = await import('./merge/finish-landings.ts');
      await finishDeadLandings(this.#context.home, landings);
    }
    for (const { land_id } of landings.toFollow()) {
      const { followLanding } = await import('./background/follow-landing.ts');
      await followLanding(this.#context, land_id);
    }
  }

  async watch(signal: AbortSignal): Promise<void> {
    await (await this.#watch()).look(signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  #workOf(agent: AgentRecord): WorkOf {
    const { home } = this.#context;
    const { plan, launch } = this.#origin(agent);
    return { home, paths: agentPaths(home, agent.workspace_id), plan, launch };
  }

  #origin(agent: AgentRecord): Origin {
    const origin = this.#context.rows.origin(agent.workspace_id);
    if (origin === undefined) throw noLonger(agent);
    return origin;
  }

  #row(agent: AgentRecord): AgentRow {
    const row = this.#context.rows.byId(agent.workspace_id);
    if (row === undefined) throw noLonger(agent);
    return row;
  }

  #now(): string {
    return new Date(this.#parts.clock.now().at).toISOString();
  }
}

/** A look succeeds also where nothing can be written. */
function noteLook(looks: Looks, now: number): void {
  try {
    looks.note(now);
  } catch (thrown) {
    if (toFleetError(thrown).code !== 'SERVICE_UNAVAILABLE') throw thrown;
  }
}

/** An id is made from an idempotency key: what was made with it before, and deleted since, is not made again. */
function checkNotDeleted({ home }: LocalContext, { workspace_id, name }: CreateRequest): void {
  if (!existsSync(agentPaths(home, workspace_id).archive)) return;
  throw new FleetError(
    'CONFLICT',
    `This idempotency key created the agent ${quote(name)}, which has been deleted. Use another key.`,
    { field: 'idempotency_key', reason: 'agent_deleted' },
  );
}

function onlyBranch({ agent_name, branch, repository }: KeptInProject): FleetError {
  return new FleetError(
    'CONFLICT',
    `The workspace of agent "${agent_name}" is no longer in the archive. Its work is on a branch of ${repository}: git switch -c NAME ${branch}`,
    { field: 'workspace_id', reason: 'workspace_gone', branch },
  );
}

function noLonger({ name }: AgentRecord): FleetError {
  return new FleetError('NOT_FOUND', `The agent "${name}" no longer exists.`, { field: 'agent_name' });
}
