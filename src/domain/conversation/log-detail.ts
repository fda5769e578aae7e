/** What an entry of the log keeps beside its text, so that the conversation can be shown from it. Entries of older
 *  versions have none. */
export type LogDetail =
  /** The text is that of a task, which a fact has as well. */
  | { readonly of: 'task'; readonly task_id: string }
  | { readonly of: 'message' | 'thought'; readonly continues?: boolean }
  | ({ readonly of: 'call' } & OpenedCall)
  | ({ readonly of: 'call_end' } & EndedCall)
  /** More of the output of a call than one entry takes. */
  | { readonly of: 'call_output' }
  | { readonly of: 'plan'; readonly entries: readonly PlanEntry[] };

interface CallName {
  /** Unique for the agent: coding agents use their own ids again. */
  readonly id: string;
  readonly tool: string;
  readonly title: string;
  readonly locations: readonly CallLocation[];
}

export interface OpenedCall extends CallName {
  readonly tool_kind: string | null;
  readonly input: unknown;
  readonly input_cut: boolean;
}

export interface EndedCall extends CallName {
  readonly status: CallStatus;
  readonly diffs: readonly CallDiff[];
  /** Characters of the output, of which the text of the entry is the beginning; 0 when there is none. */
  readonly output_length: number;
}

export const CALL_STATUSES = ['in_progress', 'completed', 'failed', 'unknown'] as const;
export type CallStatus = (typeof CALL_STATUSES)[number];

export interface CallLocation {
  readonly path: string;
  readonly line: number | null;
}

export interface CallDiff {
  readonly path: string;
  /** Null for a new file. */
  readonly old_text: string | null;
  readonly new_text: string;
  readonly truncated: boolean;
}

export interface PlanEntry {
  readonly content: string;
  readonly status: string;
  readonly priority: string | null;
}
