import type { ApprovalAnswer, ApprovalOption } from '../approvals/approval.ts';
import type { LogLevel, ReportState, TaskEnd } from '../task.ts';
import type { CallDiff, CallLocation, CallStatus, PlanEntry } from './log-detail.ts';

/** One part of a conversation. It may be given again with the same id when it has changed: the one with the latest
 *  `updated_at` counts, and its place is by `at`. */
export type ConversationEntry = Stamp & EntryBody;

export interface Stamp {
  readonly id: string;
  readonly at: string;
  readonly updated_at: string;
  /** True when a text in it was cut. */
  readonly truncated: boolean;
}

export type EntryBody =
  | { readonly kind: 'task'; readonly task_id: string; readonly text: string }
  | {
      readonly kind: 'message';
      readonly from: 'user' | 'agent' | 'thought';
      readonly text: string;
      /** True when it goes on from the entry before. */
      readonly continues: boolean;
    }
  | ToolCallBody
  | { readonly kind: 'plan'; readonly entries: readonly PlanEntry[] }
  | PermissionBody
  | { readonly kind: 'output'; readonly stream: 'stdout' | 'stderr'; readonly text: string }
  | { readonly kind: 'note'; readonly level: LogLevel; readonly text: string }
  | {
      readonly kind: 'report';
      readonly report_id: string;
      readonly text: string;
      readonly uri: string | null;
      readonly state: ReportState;
    }
  | {
      readonly kind: 'task_end';
      readonly task_id: string;
      readonly state: TaskEnd;
      readonly reason: string;
      /** What the agent said or printed last. */
      readonly result: string | null;
    };

export interface ToolCallBody {
  readonly kind: 'tool_call';
  readonly tool: string;
  readonly title: string;
  readonly tool_kind: string | null;
  readonly status: CallStatus;
  readonly input: unknown;
  readonly output: string | null;
  readonly locations: readonly CallLocation[];
  readonly diffs: readonly CallDiff[];
}

export interface PermissionBody {
  readonly kind: 'permission';
  readonly approval_id: string;
  readonly question_kind: 'permission' | 'question' | 'tool_call';
  readonly question: string;
  readonly input: unknown;
  readonly options: readonly ApprovalOption[];
  readonly expires_at: string | null;
  /** Null while it is open, and when it was closed without an answer. */
  readonly answer: (ApprovalAnswer & { readonly by: string }) | null;
  /** Why it was closed without an answer. */
  readonly closed: string | null;
}

export type ToolCallEntry = Stamp & ToolCallBody;
export type PermissionEntry = Stamp & PermissionBody;
