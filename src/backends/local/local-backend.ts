import { randomBytes } from 'node:crypto';
import { rolesOf, type ResolvedRole } from '../../config/built-in-roles.ts';
import { requireTrust, type ConfigSource } from '../../config/config-source.ts';
import type { ProjectConfig } from '../../config/config-schema.ts';
import type { Clock } from '../../domain/clock.ts';
import { FleetError, quote } from '../../domain/errors.ts';
import type { Page } from '../../domain/paging.ts';
import { actorOf, type Actor, type Caller } from '../../domain/principal.ts';
import type { Project, Role } from '../../domain/project.ts';
import { JournalReader } from '../../runner/journal-reader.ts';
import type { RunnerClient } from '../../runner/runner-client.ts';
import type { Store } from '../../store/store.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CreateRequest,
  Deleted,
  DeleteOptions,
} from '../backend.ts';
import { placesInQueue } from './admission.ts';
import { AgentRows, type AgentRow } from './agent-rows.ts';
import { needsRepair, repair } from './attend.ts';
import { deleteLocalAgent } from './delete-agent.ts';
import { agentEnvironment } from './environment.ts';
import { restartLocalAgent, stopLocalAgent } from './lifecycle.ts';
import type { LocalContext } from './local-context.ts';
import { LocalRunnerClient } from './local-runner-client.ts';
import { stateBeforeJournal, type Origin } from './origin.ts';
import { agentPaths } from './paths.ts';
import { planWorktree } from './plan-worktree.ts';
import { projectIdOf, roleIdOf } from './project-ids.ts';
import { roleProblem } from './role-problem.ts';
import { launchRunner, startRunner } from './start-runner.ts';

export interface LocalBackendParts {
  readonly home: string;
  readonly store: Store;
  readonly config: ConfigSource;
  readonly clock: Clock;
  /** The environment of whoever creates agents. */
  readonly env: NodeJS.ProcessEnv;
}

const DEFAULT_MAX_STARTING = 4;

/** Agents on this machine: rows in the store, git worktrees, a runner process beside each live one. */
export class LocalBackend implements Backend {
  readonly name = 'local';
  readonly #parts: LocalBackendParts;
  readonly #context: LocalContext;

  constructor(parts: LocalBackendParts) {
    this.#parts = parts;
    this.#context = {
      home: parts.home,
      store: parts.store,
      rows: new AgentRows(parts.store),
      clock: parts.clock,
    };
  }

  async projects(): Promise<readonly Project[]> {
    const configured = Object.entries(this.#parts.config.current().config.projects);
    const own = configured.filter(([, project]) => project.backend === this.name);
    return own.map(([name, project]) => ({
      id: projectIdOf(name),
      name,
      display_name: name,
      description: project.description ?? '',
      template_id: projectIdOf(name),
      template_name: name,
      backend: this.name,
    }));
  }

  async roles(project: Project): Promise<readonly Role[]> {
    const roles = rolesOf(this.#parts.config.current().config);
    const wanted = this.#project(project.name).default_role;
    const byDefault = findRole(roles, wanted ?? 'coder');
    return roles.map((role) => ({
      id: roleIdOf(project.name, role.name),
      name: role.name,
      display_name: role.display_name,
      description: role.description,
      project_id: project.id,
      default: role === byDefault,
    }));
  }

  async list(): Promise<readonly AgentRecord[]> {
    const places = placesInQueue(this.#context.store);
    const rows = this.#context.rows.all();
    const broken = rows.filter((row) => needsRepair(row) || row.summary === null);
    if (broken.length === 0) return rows.map((row) => this.#record(row, places));
    await Promise.all(broken.filter(needsRepair).map((row) => repair(this.#context, row)));
    return this.#context.rows.all().map((row) => this.#record(row, places));
  }

  async find(name: string): Promise<AgentRecord | undefined> {
    const row = this.#context.rows.byName(name);
    if (row === undefined) return undefined;
    return this.#truthful(row);
  }

  async details(agent: AgentRecord): Promise<AgentDetails> {
    using reader = this.#reader(agent);
    const origin = this.#context.rows.origin(agent.workspace_id) ?? (reader?.origin() as Origin | undefined);
    const spec = origin?.launch.spec ?? null;
    if (reader === undefined) {
      return {
        ...agent,
        spec,
        metadata: {},
        ...(origin === undefined ? {} : { state: stateBeforeJournal(origin) }),
      };
    }
    const row = this.#context.rows.byId(agent.workspace_id);
    return { ...agent, state: withTombstone(reader.state(), row), spec, metadata: reader.metadata() };
  }

  async history(agent: AgentRecord, page: Page) {
    using reader = this.#reader(agent);
    if (reader !== undefined) return { ...reader.history(page), as_of: this.#now() };
    const origin = this.#context.rows.origin(agent.workspace_id);
    const rows = origin === undefined || page.page > 1 ? [] : [firstTask(origin)];
    return { rows, total_count: origin === undefined ? 0 : 1, as_of: this.#now() };
  }

  async log(agent: AgentRecord, page: Page) {
    using reader = this.#reader(agent);
    return { ...(reader?.log(page) ?? { rows: [], total_count: 0 }), as_of: this.#now() };
  }

  async facts(agent: AgentRecord) {
    using reader = this.#reader(agent);
    return reader?.facts() ?? [];
  }

  async create(request: CreateRequest): Promise<AgentDetails> {
    const known = this.#context.rows.byId(request.workspace_id);
    if (known !== undefined) return this.details(await this.#truthful(known));
    const loaded = this.#parts.config.current();
    requireTrust(loaded);
    const origin = await this.#origin(request);
    if (!this.#context.rows.insert(origin, randomBytes(24).toString('base64url'))) {
      const mine = this.#context.rows.byId(request.workspace_id);
      if (mine !== undefined) return this.details(await this.#truthful(mine));
      throw new FleetError(
        'CONFLICT',
        `There is an agent ${quote(request.name)} already. Choose another name, or leave it out.`,
        {
          field: 'name',
          reason: 'name_taken',
        },
      );
    }
    launchRunner(this.#context, request.workspace_id);
    const row = this.#context.rows.byId(request.workspace_id);
    if (row === undefined) throw new Error(`agent ${request.workspace_id} is gone`);
    return this.details(await this.#truthful(row));
  }

  async stop(agent: AgentRecord, by: Actor): Promise<AgentRecord> {
    await stopLocalAgent(this.#context, this.#row(agent), by);
    return this.#truthful(this.#row(agent));
  }

  async restart(agent: AgentRecord, caller: Caller): Promise<AgentRecord> {
    requireTrust(this.#parts.config.current());
    const origin = this.#context.rows.origin(agent.workspace_id);
    if (origin === undefined) throw new Error(`agent ${agent.name} has no origin`);
    await restartLocalAgent(this.#context, this.#row(agent), {
      by: actorOf(caller),
      origin: { ...origin, launch: { ...origin.launch, env: this.#freshEnvironment(origin) } },
    });
    return this.#truthful(this.#row(agent));
  }

  delete(agent: AgentRecord, options: DeleteOptions): Promise<Deleted> {
    return deleteLocalAgent(this.#context, this.#row(agent), options);
  }

  runner(agent: AgentRecord): RunnerClient {
    return new LocalRunnerClient(this.#context, this.#row(agent));
  }

  /** Finishes deletions that were cut off, and starts the runners of agents that wait for one. */
  async keep(signal: AbortSignal): Promise<void> {
    await this.list();
    for (const row of this.#context.rows.all()) {
      if (signal.aborted) return;
      if (row.tombstone !== null && row.runner === null) {
        const options = {
          discard_work: row.tombstone.discard_work,
          by: row.tombstone.by,
          signal,
          progress: () => {},
        };
        await deleteLocalAgent(this.#context, row, options);
      } else if (
        row.runner === null &&
        row.tombstone === null &&
        this.#record(row, new Map()).state.phase === 'pending'
      ) {
        await startRunner(this.#context, row.workspace_id);
      }
    }
  }

  changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    return this.#context.store.changed(timeout_ms, signal);
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  /** The record of a row, after a dead runner's leftovers are swept. */
  async #truthful(row: AgentRow): Promise<AgentRecord> {
    if (needsRepair(row)) {
      await repair(this.#context, row);
      row = this.#context.rows.byId(row.workspace_id) ?? row;
    }
    return this.#record(row, placesInQueue(this.#context.store));
  }

  #record(row: AgentRow, places: ReadonlyMap<string, number>): AgentRecord {
    const summary = row.summary ?? this.#summaryFromJournal(row);
    const place = places.get(row.workspace_id);
    return {
      name: row.name,
      workspace_id: row.workspace_id,
      project: row.project,
      role: row.role,
      backend: this.name,
      created_at: row.created_at,
      created_by: row.created_by,
      state: withTombstone(summary.state, row),
      observed: {
        ...(place === undefined ? {} : { place }),
        ...(row.unreachable_since === null ? {} : { unreachable_since: row.unreachable_since }),
        ...(summary.progress === null ? {} : { progress: summary.progress }),
      },
      git: summary.git,
      pull_request_url: summary.pull_request_url,
    };
  }

  /** The summary is a convenience: what it says can always be read from the journal, or from what was accepted. */
  #summaryFromJournal(row: AgentRow): NonNullable<AgentRow['summary']> {
    using reader = this.#reader(row);
    if (reader !== undefined) {
      const { state, progress, git, pull_request_url } = {
        state: reader.state(),
        progress: reader.progress() ?? null,
        git: reader.git(),
        pull_request_url: reader.metadata()['fleet_mcp_pull_request_url'] ?? null,
      };
      if (state.seq > 0) return { state, progress, git, pull_request_url };
    }
    const origin = this.#context.rows.origin(row.workspace_id);
    if (origin === undefined) throw new FleetError('NOT_FOUND', `There is no agent "${row.name}" any more.`);
    return {
      state: stateBeforeJournal(origin),
      progress: null,
      git: null,
      pull_request_url: origin.pull_request_url,
    };
  }

  /** Everything that the agent is made with, resolved and checked; nothing is made yet. */
  async #origin(request: CreateRequest): Promise<Origin> {
    const { config } = this.#parts.config.current();
    const project = this.#project(request.project.name);
    const role = findRole(rolesOf(config), request.role.name);
    if (role === undefined)
      throw new FleetError('NOT_FOUND', `There is no role ${quote(request.role.name)}.`, { field: 'role' });
    const env = agentEnvironment({
      agent: role.agent,
      starter: this.#parts.env,
      env: role.env,
      env_from: role.env_from,
    });
    const paths = agentPaths(this.#context.home, request.workspace_id);
    const plan = await planWorktree({
      repository: project.repository,
      directory: paths.worktree,
      agent_name: request.name,
      base: request.base ?? project.base,
      branch: request.branch,
      setup: typeof project.setup === 'string' ? ['sh', '-c', project.setup] : (project.setup ?? null),
      copy: project.copy ?? [],
    });
    const problem = await roleProblem(role, env, plan);
    if (problem !== undefined) throw problem;
    const created_at = this.#now();
    const created_by = actorOf(request.caller);
    return {
      created_at,
      created_by,
      launch: {
        name: request.name,
        workspace_id: request.workspace_id,
        project: request.project.name,
        role: role.name,
        spec: request.spec,
        created_at,
        created_by: created_by.principal,
        agent: role.agent,
        command: role.command,
        system_prompt: role.system_prompt,
        model: role.model,
        env,
        on_crash: role.on_crash,
        stuck_after_ms: project.stuck_after_ms,
        sleep_after_ms: project.sleep_after_ms,
      },
      plan,
      first_task: { id: request.task_id, message: request.task, source: request.caller.source },
      pull_request_url: request.pull_request_url ?? null,
      max_starting: config.max_starting ?? DEFAULT_MAX_STARTING,
    };
  }

  /** The environment of whoever restarts, with what the role asks for; a role that is gone adds nothing. */
  #freshEnvironment({ launch }: Origin): Record<string, string> {
    const role = findRole(rolesOf(this.#parts.config.current().config), launch.role);
    return agentEnvironment({
      agent: launch.agent,
      starter: this.#parts.env,
      env: role?.env ?? {},
      env_from: role?.env_from ?? [],
    });
  }

  #project(name: string): ProjectConfig {
    const { projects } = this.#parts.config.current().config;
    const project = Object.hasOwn(projects, name) ? projects[name] : undefined;
    if (project === undefined)
      throw new FleetError('NOT_FOUND', `There is no project ${quote(name)}.`, { field: 'project' });
    return project;
  }

  #row(agent: AgentRecord): AgentRow {
    const row = this.#context.rows.byId(agent.workspace_id);
    if (row === undefined)
      throw new FleetError('NOT_FOUND', `There is no agent "${agent.name}" any more.`, {
        field: 'agent_name',
      });
    return row;
  }

  #reader(agent: { readonly workspace_id: string }): JournalReader | undefined {
    return JournalReader.open(agentPaths(this.#context.home, agent.workspace_id).journal);
  }

  #now(): string {
    return new Date(this.#parts.clock.now().at).toISOString();
  }
}

/** A tombstone is a fact of the store: it stands before the journal hears of it. */
function withTombstone(state: AgentRecord['state'], row: AgentRow | undefined): AgentRecord['state'] {
  if (row?.tombstone === null || row === undefined || state.phase === 'deleted') return state;
  return { ...state, phase: 'deleting', phase_reason: `deleted by ${row.tombstone.by.principal}` };
}

function findRole(roles: readonly ResolvedRole[], name: string): ResolvedRole | undefined {
  return roles.find((role) => role.name.toLowerCase() === name.toLowerCase());
}

function firstTask({ first_task, created_at }: Origin) {
  return {
    id: first_task.id,
    kind: 'task' as const,
    message: first_task.message,
    uri: null,
    needs_user_attention: false,
    created_at,
    state: 'queued' as const,
    source: first_task.source,
    finished_at: null,
  };
}
