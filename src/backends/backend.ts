import type { GitFacts } from '../domain/agent.ts';
import type { Approval } from '../domain/approval.ts';
import type { Fact } from '../domain/fact.ts';
import type { Page } from '../domain/paging.ts';
import type { Actor, Caller } from '../domain/principal.ts';
import type { Project, Role } from '../domain/project.ts';
import type { PullRequest } from '../domain/pull-request.ts';
import type { AgentState } from '../domain/state.ts';
import type { Observation } from '../domain/status.ts';
import type { HistoryRow, LogRow } from '../domain/task.ts';
import type { ListedFields, MetadataFields } from '../domain/taskfile-metadata.ts';
import type { RunnerClient } from '../runner/runner-client.ts';

/** An agent as its backend knows it: facts, not opinions. Status is derived from it by whoever reads. */
export interface AgentRecord {
  readonly name: string;
  readonly workspace_id: string;
  readonly project: string;
  readonly role: string;
  readonly backend: string;
  readonly created_at: string;
  readonly created_by: string;
  readonly state: AgentState;
  readonly observed: Observation;
  readonly git: GitFacts | null;
  readonly pull_request: PullRequest | null;
  /** When what others say of it changed last. */
  readonly heard_at?: string;
  /** What a list shows of its Taskfile. */
  readonly listed: ListedFields;
}

export interface AgentDetails extends AgentRecord {
  readonly spec: string | null;
  /** The `fleet_mcp_*` key-values that were set. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields of its Taskfile. */
  readonly fields: MetadataFields;
}

export interface CreateRequest {
  /** Made by the caller: creating it again is harmless. */
  readonly workspace_id: string;
  readonly task_id: string;
  readonly name: string;
  readonly project: Project;
  readonly role: Role;
  readonly task: string;
  readonly spec: string;
  readonly base?: string;
  readonly branch?: string;
  readonly pull_request_url?: string;
  readonly caller: Caller;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  readonly total_count: number;
  readonly as_of: string;
}

export interface DeleteOptions {
  readonly discard_work: boolean;
  readonly by: Actor;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

export interface Deleted {
  /** The branches on which work that was not pushed has been kept, the main one first; empty when there was none. */
  readonly kept: readonly string[];
  /** What else there is to say of the work. */
  readonly notes: readonly string[];
  /** False when deleting goes on after the answer. */
  readonly gone: boolean;
}

/** Where agents run. Knows nothing of what runs there. */
export interface Backend extends AsyncDisposable {
  readonly name: string;
  projects(): Promise<readonly Project[]>;
  roles(project: Project): Promise<readonly Role[]>;

  list(): Promise<readonly AgentRecord[]>;
  find(name: string): Promise<AgentRecord | undefined>;
  /** The agent as it was seen a moment ago, where looking costs much: enough for what its runner decides. */
  recall?(name: string): AgentRecord | undefined;
  /** Makes what a live agent says of its work new, as far as that is quick. Never fails, wakes nobody. */
  refresh(agent: AgentRecord): Promise<void>;
  details(agent: AgentRecord): Promise<AgentDetails>;
  history(agent: AgentRecord, page: Page): Promise<RowPage<HistoryRow>>;
  log(agent: AgentRecord, page: Page): Promise<RowPage<LogRow>>;
  facts(agent: AgentRecord): Promise<readonly Fact[]>;
  /** The questions of the agent that are open. */
  approvals(agent: AgentRecord): Promise<readonly Approval[]>;

  /** Accepts the agent and its first task. What is wrong with the request is found before anything is made. */
  create(request: CreateRequest): Promise<AgentDetails>;
  stop(agent: AgentRecord, by: Actor): Promise<AgentRecord>;
  restart(agent: AgentRecord, caller: Caller): Promise<AgentRecord>;
  delete(agent: AgentRecord, options: DeleteOptions): Promise<Deleted>;
  /** The runner of an agent; a request that needs a live one starts it first. */
  runner(agent: AgentRecord): RunnerClient;

  /** Resolves when something may have changed, at the latest after `timeout_ms`. */
  changed(timeout_ms: number, signal: AbortSignal): Promise<void>;
}
