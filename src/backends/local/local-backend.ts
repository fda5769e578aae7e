import { existsSync } from 'node:fs';
import type { Clock } from '../../domain/clock.ts';
import { FleetError, quote, toFleetError } from '../../domain/errors.ts';
import type { Page } from '../../domain/paging.ts';
import { actorOf, type Actor, type Caller } from '../../domain/principal.ts';
import type { Project, Role } from '../../domain/project.ts';
import { checkInstalled } from '../../platform/package.ts';
import type { RunnerClient } from '../../runner/runner-client.ts';
import { Looks } from '../../store/looks.ts';
import type { Store } from '../../store/store.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CreateRequest,
  Deleted,
  DeleteOptions,
} from '../backend.ts';
import { AgentRecords } from './agent-records.ts';
import { AgentRows, type AgentRow } from './agent-rows.ts';
import { hasLiveRunner } from './attend.ts';
import { deleteLocalAgent } from './delete-agent.ts';
import { restartLocalAgent, stopLocalAgent } from './lifecycle.ts';
import type { LocalContext } from './local-context.ts';
import { LocalKeeper } from './local-keeper.ts';
import type { LocalProjects } from './local-projects.ts';
import { LocalRunnerClient } from './local-runner-client.ts';
import { logsBefore, trimLogs, type OldLog } from './old-logs.ts';
import { firstTaskOf, type Origin } from './origin.ts';
import { agentPaths } from './paths.ts';
import { refreshLocalAgent } from './refresh-agent.ts';
import { launchRunner } from './start-runner.ts';

export interface LocalBackendParts {
  readonly home: string;
  readonly store: Store;
  readonly clock: Clock;
  /** Loaded when it is needed: most looks at a fleet need no configuration. */
  readonly projects: () => Promise<LocalProjects>;
}

/** Agents on this machine: rows in the store, git worktrees, a runner process beside each live one. */
export class LocalBackend implements Backend {
  readonly name = 'local';
  readonly #parts: LocalBackendParts;
  readonly #context: LocalContext;
  readonly #records: AgentRecords;
  readonly #keeper: LocalKeeper;
  readonly #looks: Looks;

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
  }

  async projects(): Promise<readonly Project[]> {
    return (await this.#parts.projects()).projects();
  }

  async roles(project: Project): Promise<readonly Role[]> {
    return (await this.#parts.projects()).roles(project);
  }

  /** The logs of agents at rest, and what of them was written before a time. */
  logsBefore(time: string): readonly OldLog[] {
    return logsBefore(this.#context, time);
  }

  trimLogs(time: string): Promise<void> {
    return trimLogs(this.#context, time);
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

  async log(agent: AgentRecord, page: Page) {
    return this.#records.read(agent, (reader) => ({
      ...(reader?.log(page) ?? { rows: [], total_count: 0 }),
      as_of: this.#now(),
    }));
  }

  async facts(agent: AgentRecord) {
    return this.#records.read(agent, (reader) => reader?.facts() ?? []);
  }

  async approvals(agent: AgentRecord) {
    if (agent.state.approvals.length === 0) return [];
    return this.#records.read(agent, (reader) => reader?.approvals(agent.name) ?? []);
  }

  async create(request: CreateRequest): Promise<AgentDetails> {
    const known = this.#context.rows.byId(request.workspace_id);
    if (known !== undefined) return this.#knownAgent(known);
    checkNotDeleted(this.#context, request);
    const origin = await (await this.#parts.projects()).originOf(request, this.#now());
    checkBranchFree(this.#context, origin);
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

  /** The call was made before. Whoever made it may have died before they could start the agent's runner. */
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
  }

  async [Symbol.asyncDispose](): Promise<void> {}

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

/** A branch that was given to an agent is not given to another one, also before it is checked out. */
function checkBranchFree({ rows }: LocalContext, { plan }: Origin): void {
  if (plan.own_branch || !rows.holdsBranch(plan.repository, plan.branch)) return;
  throw new FleetError('CONFLICT', `The branch ${quote(plan.branch)} is the branch of another agent.`, {
    field: 'branch',
    reason: 'branch_in_use',
  });
}

/** An id is made from an idempotency key: what was made with it before, and deleted since, is not made again. */
function checkNotDeleted({ home }: LocalContext, { workspace_id, name }: CreateRequest): void {
  if (!existsSync(agentPaths(home, workspace_id).archive)) return;
  throw new FleetError(
    'CONFLICT',
    `This idempotency key made the agent ${quote(name)}, which was deleted since. Use another key.`,
    { field: 'idempotency_key', reason: 'agent_deleted' },
  );
}

function noLonger({ name }: AgentRecord): FleetError {
  return new FleetError('NOT_FOUND', `There is no agent "${name}" any more.`, { field: 'agent_name' });
}
