import type { ApprovalAnswer } from '../../domain/approvals/approval.ts';
import type { Actor, Source } from '../../domain/principal.ts';
import type { HistoryRow, ReportState, WhenBusy } from '../../domain/task.ts';
import type { AgentState } from '../../domain/state.ts';

export interface AcceptRequest {
  /** Made by the caller, so that a repeated request is harmless. */
  readonly task_id: string;
  readonly message: string;
  readonly when_busy: WhenBusy;
  readonly source: Source;
  readonly by: Actor;
}

export interface Accepted {
  readonly task: HistoryRow;
  readonly state: AgentState;
}

export interface CancelRequest {
  /** A queued task; without it the running one. */
  readonly task_id?: string;
  readonly by: Actor;
}

export interface Canceled {
  readonly task: HistoryRow;
  readonly interrupt_sent: boolean;
  readonly state: AgentState;
}

export interface ReportRequest {
  readonly report_id: string;
  readonly message: string;
  readonly uri: string | null;
  readonly state: ReportState;
  readonly by: Actor;
}

export interface AnswerRequest {
  readonly approval_id: string;
  readonly answer: ApprovalAnswer;
  readonly by: Actor;
}

/** What an agent can ask its own runner. */
export interface SelfRunnerClient {
  accept(request: AcceptRequest): Promise<Accepted>;
  report(request: ReportRequest): Promise<{ readonly recorded_at: string }>;
  setMetadata(request: {
    readonly key: string;
    readonly value: string | null;
    readonly by: Actor;
  }): Promise<void>;
}

/** The runner's API as its callers see it, whatever carries it. */
export interface RunnerClient extends SelfRunnerClient {
  cancel(request: CancelRequest): Promise<Canceled>;
  answer(request: AnswerRequest): Promise<void>;
  acknowledge(request: { readonly by: Actor }): Promise<void>;
}
