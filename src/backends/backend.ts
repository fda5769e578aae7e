import type { BackendUpkeep } from './backend-upkeep.ts';
import type { Merging } from './merging.ts';
import type { Publishing } from './publishing.ts';
import type { TerminalEnds, WorkspaceAccess } from './workspace-access.ts';
import type { ConversationPage, ConversationRequest } from '../domain/conversation/conversation-page.ts';
import type { AgentDiff, DiffRequest } from '../domain/diff/agent-diff.ts';
import type { CheckpointView } from '../domain/merge/checkpoint-view.ts';
import type { Updated, UpdateStrategy } from '../domain/merge/update.ts';
import type { KeptAgent } from '../domain/kept-agent.ts';
import type { GitFacts } from '../domain/agent.ts';
import type { Approval } from '../domain/approvals/approval.ts';
import type { Fact } from '../domain/fact.ts';
import type { Page } from '../domain/values/paging.ts';
import type { Actor, Caller } from '../domain/principal.ts';
import type { Project, Role } from '../domain/project.ts';
import type { ShownChecks } from '../domain/review/shown-checks.ts';
import type { PullRequest } from '../domain/metadata/pull-request.ts';
import type { AgentState } from '../domain/state.ts';
import type { Observation } from '../domain/status.ts';
import type { HistoryRow, LogRequest, LogRow } from '../domain/task.ts';
import type { ListedFields, MetadataFields } from '../domain/metadata/taskfile-metadata.ts';
import type { RunnerClient, SelfRunnerClient } from '../runner/api/runner-client.ts';

/** An agent as its backend knows it: facts, not opinions. Status is derived from it when it is read. */
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
  /** Absent when the spec is only the first task. */
  readonly given_spec?: string;
  /** The `fleet_mcp_*` key-values that were set. */
  readonly metadata: Readonly<Record<string, string>>;
  /** The fields of its Taskfile. */
  readonly fields: MetadataFields;
  /** Why its workspace cannot be used. */
  readonly problem?: string;
  /** A sentence for each write that its sandbox refused; absent where there is no sandbox. */
  readonly refused_writes?: readonly string[];
}

export interface CreateRequest {
  /** Made by the caller: creating it again is harmless. */
  readonly workspace_id: string;
  readonly task_id: string;
  readonly name: string;
  readonly project: Project;
  readonly role: Role;
  readonly task: string;
  /** Null when none was given. */
  readonly spec: string | null;
  readonly base?: string;
  readonly branch?: string;
  readonly pull_request_url?: string;
  /** A checkpoint of another agent that the work goes on from; without a number, the newest. */
  readonly checkpoint?: { readonly workspace_id: string; readonly number: number | undefined };
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

export interface CheckAgentRequest {
  /** Made by the caller: running it again is harmless. */
  readonly run_id: string;
  /** Undefined for all checks. */
  readonly names: readonly string[] | undefined;
  /** True: also those with a result run. */
  readonly again: boolean;
  /** True when an agent asks. */
  readonly for_agent: boolean;
  readonly by: Actor;
  readonly signal: AbortSignal;
  progress(message: string): void;
}

export interface Kept {
  readonly kept: readonly KeptAgent[];
  /** What could not be looked at. */
  readonly problems: readonly string[];
}

export interface RestoreRequest {
  readonly workspace_id: string;
  /** Undefined for the name that it had. */
  readonly name: string | undefined;
  readonly by: Actor;
  /** Throws when an agent of another backend has the name. */
  checkFree(name: string): Promise<void>;
}

export interface ShortWait {
  readonly timeout_ms: number;
  readonly signal: AbortSignal;
}

/** Agents that can be looked at and spoken to. */
export interface AgentSource extends AsyncDisposable {
  readonly name: string;
  list(): Promise<readonly AgentRecord[]>;
  find(name: string): Promise<AgentRecord | undefined>;
  /** The agent as it was seen a moment ago, where looking costs much: enough for what its runner decides. */
  recall?(name: string): AgentRecord | undefined;
  /** Makes what a live agent says of its work new, as far as that is quick. Never fails, wakes nobody. */
  refresh(agent: AgentRecord): Promise<void>;
  details(agent: AgentRecord): Promise<AgentDetails>;
  history(agent: AgentRecord, page: Page): Promise<RowPage<HistoryRow>>;
  log(agent: AgentRecord, request: LogRequest): Promise<RowPage<LogRow>>;
  conversation(agent: AgentRecord, request: ConversationRequest): Promise<ConversationPage>;
  /** Waits until the end of the conversation is another one than `known`, at most `timeout_ms`, and returns it. Absent
   *  where looking costs much. */
  conversationEnd?(agent: AgentRecord, known: string | undefined, wait: ShortWait): Promise<string>;
  /** What the agent has changed. Absent where Fleet does not reach the agent's repository. */
  diff?(agent: AgentRecord, request: DiffRequest): Promise<AgentDiff>;
  /** Oldest first. As `diff`. */
  checkpoints?(agent: AgentRecord): Promise<readonly CheckpointView[]>;
  /** The checks of the agent's work, without running any. Absent where Fleet runs none. */
  checks?(agent: AgentRecord): Promise<ShownChecks>;
  /** The runner of an agent; a request that needs a live one starts it first. */
  runner(agent: AgentRecord): SelfRunnerClient;
}

/** Where agents run. Knows nothing of what runs there. */
export interface Backend extends AgentSource {
  projects(): Promise<readonly Project[]>;
  roles(project: Project): Promise<readonly Role[]>;
  facts(agent: AgentRecord): Promise<readonly Fact[]>;
  /** The questions of the agent that are open. */
  approvals(agent: AgentRecord): Promise<readonly Approval[]>;

  /** Accepts the agent and its first task. What is wrong with the request is found before anything is made. */
  create(request: CreateRequest): Promise<AgentDetails>;
  stop(agent: AgentRecord, by: Actor): Promise<AgentRecord>;
  restart(agent: AgentRecord, caller: Caller): Promise<AgentRecord>;
  delete(agent: AgentRecord, options: DeleteOptions): Promise<Deleted>;
  /** Brings newer commits of the base into the agent's branch. Absent where Fleet cannot do that. */
  update?(agent: AgentRecord, strategy: UpdateStrategy, by: Actor): Promise<Updated>;
  /** Runs checks on the agent's committed work. Answers after a while that they go on. Absent where Fleet runs none. */
  check?(agent: AgentRecord, request: CheckAgentRequest): Promise<ShownChecks>;
  /** Absent where nothing is kept of an agent's workspace. */
  kept?(): Promise<Kept>;
  /** Brings a deleted agent back, stopped; one that is there is given as it is. Undefined for an id that the backend does
   *  not know. */
  restore?(request: RestoreRequest): Promise<AgentDetails | undefined>;
  runner(agent: AgentRecord): RunnerClient;

  /** Resolves when something may have changed, at the latest after `timeout_ms`. */
  changed(timeout_ms: number, signal: AbortSignal): Promise<void>;
  /** What has to be done now and then, by a process that lives long. */
  keep(signal: AbortSignal): Promise<void>;
  /** Milliseconds from the end of one `keep` to the next. */
  readonly pace_ms: number;
  /** What a server does when branches of agents have moved, such as telling of conflicts. May take long. */
  watch?(signal: AbortSignal): Promise<void>;

  /** Loaded when it is first needed. Absent where the repository of a project is not on this machine. */
  readonly merging?: () => Promise<Merging>;
  /** As `merging`. */
  readonly publishing?: () => Promise<Publishing>;
  /** Absent where workspaces are not directories of this machine. */
  readonly workspaces?: WorkspaceAccess;
  /** Runs a program, or a shell without one, in the workspace of an agent, and answers with its exit code; when there is no
   *  `workspaces`. */
  terminal?(agent: AgentRecord, command: readonly string[], ends: TerminalEnds): Promise<number>;
  /** Where the workspace of an agent is and how a person gets there, when there is no `workspaces`. */
  elsewhere?(agent_name: string): string;
  /** Absent where the backend leaves nothing in the home. */
  readonly upkeep?: BackendUpkeep;
}

/** True for a backend; false for an agent's view of itself. */
export function isBackend(source: AgentSource & { readonly create?: unknown }): source is Backend {
  return source.create !== undefined;
}
