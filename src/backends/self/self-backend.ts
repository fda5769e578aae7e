import { FleetError } from '../../domain/values/errors.ts';
import type { ConversationPage, ConversationRequest } from '../../domain/conversation/conversation-page.ts';
import type { AgentDiff, DiffRequest } from '../../domain/diff/agent-diff.ts';
import type { CheckpointView } from '../../domain/merge/checkpoint-view.ts';
import type { Launch } from '../../domain/launch.ts';
import type { Page } from '../../domain/values/paging.ts';
import type { PullRequest } from '../../domain/metadata/pull-request.ts';
import type { ShownChecks } from '../../domain/review/shown-checks.ts';
import type { AgentState } from '../../domain/state.ts';
import type { Instant } from '../../domain/status.ts';
import type { GitFacts } from '../../domain/agent.ts';
import type { HistoryRow, LogRequest, LogRow } from '../../domain/task.ts';
import {
  NO_FIELDS,
  type ListedFields,
  type MetadataFields,
} from '../../domain/metadata/taskfile-metadata.ts';
import { callRunner, RunnerAbsent } from '../../runner/api/http-runner-client.ts';
import type { Accepted, SelfRunnerClient } from '../../runner/api/runner-client.ts';
import type { AgentDetails, AgentRecord, AgentSource } from '../backend.ts';

interface SelfDetails {
  readonly state: AgentState;
  readonly progress?: Instant;
  readonly git: GitFacts | null;
  readonly pull_request: PullRequest | null;
  readonly metadata: Readonly<Record<string, string>>;
  readonly launch: Launch;
  /** A runner of an older version has none of these. */
  readonly listed?: ListedFields;
  readonly fields?: MetadataFields;
  readonly refused_writes?: readonly string[];
}

/** The fleet as an agent sees it from inside: itself, through its own socket, and nobody else. */
export class SelfBackend implements AgentSource {
  readonly name = 'self';
  readonly #socket: string;
  readonly #agent: string;

  constructor(socket: string, agent: string) {
    this.#socket = socket;
    this.#agent = agent;
  }

  async list(): Promise<readonly AgentRecord[]> {
    return [await this.#details()];
  }

  async find(name: string): Promise<AgentRecord | undefined> {
    return name.toLowerCase() === this.#agent.toLowerCase() ? this.#details() : undefined;
  }

  async refresh(): Promise<void> {}

  details(): Promise<AgentDetails> {
    return this.#details();
  }

  async history(_agent: AgentRecord, page: Page) {
    const answer = (await this.#call('history', page)) as { rows: HistoryRow[]; total_count: number };
    return { ...answer, as_of: new Date().toISOString() };
  }

  async log(_agent: AgentRecord, request: LogRequest) {
    const answer = (await this.#call('log', request)) as { rows: LogRow[]; total_count: number };
    return { ...answer, as_of: new Date().toISOString() };
  }

  async conversation(_agent: AgentRecord, request: ConversationRequest): Promise<ConversationPage> {
    return (await this.#call('conversation', request)) as ConversationPage;
  }

  async diff(_agent: AgentRecord, request: DiffRequest): Promise<AgentDiff> {
    return (await this.#call('diff', request)) as AgentDiff;
  }

  async checkpoints(): Promise<readonly CheckpointView[]> {
    const { checkpoints } = (await this.#call('checkpoints', {})) as { checkpoints: CheckpointView[] };
    return checkpoints;
  }

  async checks(): Promise<ShownChecks> {
    return (await this.#call('checks', {})) as ShownChecks;
  }

  runner(): SelfRunnerClient {
    return {
      accept: async (request) => (await this.#call('tasks', request)) as Accepted,
      report: async (request) => (await this.#call('reports', request)) as { recorded_at: string },
      setMetadata: async (request) => {
        await this.#call('metadata', request);
      },
    };
  }

  async [Symbol.asyncDispose](): Promise<void> {}

  async #details(): Promise<AgentDetails> {
    const { launch, progress, ...answer } = (await this.#call('details', {})) as SelfDetails;
    return {
      ...answer,
      listed: answer.listed ?? NO_FIELDS,
      fields: answer.fields ?? {},
      name: launch.name,
      workspace_id: launch.workspace_id,
      project: launch.project,
      role: launch.role,
      spec: launch.spec,
      backend: this.name,
      created_at: launch.created_at,
      created_by: launch.created_by,
      observed: progress === undefined ? {} : { progress },
    };
  }

  async #call(path: string, fields: object): Promise<unknown> {
    try {
      return await callRunner({ socket: this.#socket }, path, fields);
    } catch (thrown) {
      if (!(thrown instanceof RunnerAbsent)) throw thrown;
      throw new FleetError('SERVICE_UNAVAILABLE', 'The runner of this agent cannot be reached.', {}, thrown);
    }
  }
}
