import { NO_FIELDS } from '../../src/domain/metadata/taskfile-metadata.ts';
import { noApproval, type Approval } from '../../src/domain/approvals/approval.ts';
import { randomUUID } from 'node:crypto';
import type { ConversationPage } from '../../src/domain/conversation/conversation-page.ts';
import type {
  AgentDetails,
  AgentRecord,
  Backend,
  CreateRequest,
  Deleted,
  DeleteOptions,
  RowPage,
} from '../../src/backends/backend.ts';
import { nameKey } from '../../src/domain/values/agent-name.ts';
import { FleetError } from '../../src/domain/values/errors.ts';
import type { Fact } from '../../src/domain/fact.ts';
import type { Page } from '../../src/domain/values/paging.ts';
import { actorOf } from '../../src/domain/principal.ts';
import type { Project, Role } from '../../src/domain/project.ts';
import { EMPTY_STATE, type AgentState } from '../../src/domain/state.ts';
import type { HistoryRow, LogRow } from '../../src/domain/task.ts';
import { Fleet } from '../../src/fleet/fleet.ts';
import type { AcceptRequest, RunnerClient } from '../../src/runner/api/runner-client.ts';
import { TinyEvents } from './tiny-events.ts';

const STARTED = '2026-11-01T10:00:00.000Z';

interface TinyAgent extends AgentDetails {
  readonly tasks: HistoryRow[];
  readonly log: LogRow[];
}

/** A backend in memory: agents are what a test says they are, and nothing runs. */
export class TinyBackend implements Backend {
  readonly name = 'tiny';
  readonly pace_ms = 1_000;
  readonly agents = new Map<string, TinyAgent>();
  readonly events: TinyEvents;
  /** Thrown by every look at the agents, once it is set. */
  failure: Error | undefined;

  constructor(events: TinyEvents) {
    this.events = events;
  }

  addAgent(name: string, state: Partial<AgentState> = {}): TinyAgent {
    const agent: TinyAgent = {
      name,
      workspace_id: randomUUID(),
      project: 'Setup',
      role: 'coder',
      backend: this.name,
      created_at: STARTED,
      created_by: 'user:test',
      state: {
        ...EMPTY_STATE,
        phase: 'ready',
        phase_reason: 'ready, no task',
        updated_at: STARTED,
        ...state,
      },
      observed: {},
      git: null,
      pull_request: null,
      spec: 'the spec',
      metadata: {},
      fields: {},
      listed: NO_FIELDS,
      tasks: [],
      log: [],
    };
    return this.#put(agent);
  }

  /** Makes an agent busy with a task, for as long as a test wants. */
  setBusy(name: string, message: string): void {
    const at = Date.now();
    const started_at = new Date(at).toISOString();
    const started = { at, awake_ms: at, boot: 'test' };
    this.change(name, {
      running: {
        id: randomUUID(),
        message,
        started_at,
        started,
        cancel_requested: false,
        acknowledged: null,
        resumed: 0,
        trouble: null,
      },
    });
  }

  change(name: string, state: Partial<AgentState>): void {
    const agent = this.#agent(name);
    this.#put({ ...agent, state: { ...agent.state, ...state } });
    this.events.add('agent.status', agent, { status: 'changed' });
  }

  async projects(): Promise<readonly Project[]> {
    return ['Setup', 'Site'].map((name) => ({
      id: `id-${name}`,
      name,
      display_name: name,
      description: `The project ${name}`,
      template_id: `id-${name}`,
      template_name: name,
      backend: this.name,
    }));
  }

  async roles(project: Project): Promise<readonly Role[]> {
    return ['coder', 'operator', ...(project.name === 'Site' ? ['writer'] : [])].map((name) => ({
      id: `id-${name}`,
      name,
      display_name: name,
      description: `The role ${name}`,
      project_id: project.id,
      default: name === 'coder',
    }));
  }

  async list(): Promise<readonly AgentRecord[]> {
    if (this.failure !== undefined) throw this.failure;
    return [...this.agents.values()];
  }

  async find(name: string): Promise<AgentRecord | undefined> {
    return this.agents.get(nameKey(name));
  }

  async refresh(): Promise<void> {}

  async details(agent: AgentRecord): Promise<AgentDetails> {
    return this.#agent(agent.name);
  }

  async history(agent: AgentRecord, page: Page): Promise<RowPage<HistoryRow>> {
    return pageOf(this.#agent(agent.name).tasks, page);
  }

  async log(agent: AgentRecord, page: Page): Promise<RowPage<LogRow>> {
    return pageOf(this.#agent(agent.name).log, page);
  }

  async conversation(): Promise<ConversationPage> {
    return { entries: [], older: null, newer: '0.0', has_newer: false };
  }

  async facts(): Promise<readonly Fact[]> {
    return [];
  }

  async create(request: CreateRequest): Promise<AgentDetails> {
    if (this.agents.has(nameKey(request.name))) {
      throw new FleetError('CONFLICT', `The name "${request.name}" is taken.`, {
        reason: 'name_taken',
        field: 'name',
      });
    }
    const created = {
      ...this.addAgent(request.name, { last_task: request.task }),
      spec: request.spec,
      created_by: actorOf(request.caller).principal,
    };
    this.events.add('agent.created', created);
    return this.#put(created);
  }

  async stop(agent: AgentRecord): Promise<AgentRecord> {
    this.change(agent.name, { phase: 'stopped', phase_reason: 'stopped' });
    return this.#agent(agent.name);
  }

  async restart(agent: AgentRecord): Promise<AgentRecord> {
    this.change(agent.name, { phase: 'pending', phase_reason: 'restarted' });
    return this.#agent(agent.name);
  }

  async delete(agent: AgentRecord, { progress }: DeleteOptions): Promise<Deleted> {
    progress('removing the workspace');
    this.agents.delete(nameKey(agent.name));
    this.events.add('agent.deleted', agent);
    return { kept: [], notes: [], gone: true };
  }

  async approvals(): Promise<readonly Approval[]> {
    return [];
  }

  runner({ name }: AgentRecord): RunnerClient {
    return {
      accept: async (request) => this.#accept(name, request),
      cancel: async () => {
        throw new FleetError('INVALID_INPUT', `The agent "${name}" has no task to cancel.`);
      },
      report: async () => ({ recorded_at: STARTED }),
      setMetadata: async ({ key, value }) => {
        const { [key]: _, ...rest } = this.#agent(name).metadata;
        this.#put({ ...this.#agent(name), metadata: value === null ? rest : { ...rest, [key]: value } });
        this.events.add('metadata', this.#agent(name), { key });
      },
      acknowledge: async () => this.change(name, { attention: null }),
      answer: async ({ approval_id }) => {
        throw noApproval(approval_id);
      },
    };
  }

  changed(timeout_ms: number, signal: AbortSignal): Promise<void> {
    return this.events.changed(timeout_ms, signal);
  }

  async keep(): Promise<void> {}

  async [Symbol.asyncDispose](): Promise<void> {}

  #accept(name: string, { task_id, message, source, when_busy }: AcceptRequest) {
    const agent = this.#agent(name);
    if (agent.state.running !== null && when_busy === 'reject') {
      throw new FleetError('CONFLICT', `The agent "${name}" is busy.`, { reason: 'busy' });
    }
    const task: HistoryRow = {
      id: task_id,
      kind: 'task',
      message,
      uri: null,
      needs_user_attention: false,
      created_at: STARTED,
      state: 'queued',
      source,
      started_at: null,
      finished_at: null,
      result: null,
      tokens: null,
      cost: null,
    };
    agent.tasks.unshift(task);
    this.change(name, { queue: [...agent.state.queue, task_id], last_task: message });
    return { task, state: this.#agent(name).state };
  }

  #agent(name: string): TinyAgent {
    const agent = this.agents.get(nameKey(name));
    if (agent === undefined) throw new Error(`no agent ${name}`);
    return agent;
  }

  #put(agent: TinyAgent): TinyAgent {
    this.agents.set(nameKey(agent.name), agent);
    return agent;
  }
}

export interface TinyFleet {
  readonly fleet: Fleet;
  readonly backend: TinyBackend;
  readonly events: TinyEvents;
}

export function makeTinyFleet(): TinyFleet {
  const events = new TinyEvents();
  const backend = new TinyBackend(events);
  const clock = { now: () => ({ at: Date.now(), awake_ms: Date.now(), boot: 'test' }) };
  return { fleet: new Fleet({ backends: [backend], clock, events }), backend, events };
}

function pageOf<Row>(rows: readonly Row[], { page, page_size }: Page): RowPage<Row> {
  const start = (page - 1) * page_size;
  return { rows: rows.slice(start, start + page_size), total_count: rows.length, as_of: STARTED };
}
