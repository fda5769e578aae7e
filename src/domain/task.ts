import type { Page } from './values/paging.ts';

/** How a task can end. */
export const TASK_ENDS = ['complete', 'failed', 'canceled', 'interrupted'] as const;
export type TaskEnd = (typeof TASK_ENDS)[number];

export const TASK_STATES = ['queued', 'running', ...TASK_ENDS] as const;
export type TaskState = (typeof TASK_STATES)[number];

export const WHEN_BUSY = ['reject', 'queue', 'interrupt'] as const;
export type WhenBusy = (typeof WHEN_BUSY)[number];

export const REPORT_STATES = ['working', 'idle', 'complete', 'failure'] as const;
export type ReportState = (typeof REPORT_STATES)[number];

/** Characters of one task, spec or report. */
export const TASK_TEXT_LIMIT = 65_536;
export const QUEUE_LIMIT = 100;

/** One row of an agent's history: a task that was accepted, or a report that the agent made. */
export interface HistoryRow {
  readonly id: string;
  readonly kind: 'task' | 'report';
  readonly message: string;
  readonly uri: string | null;
  readonly needs_user_attention: boolean;
  readonly created_at: string;
  readonly state: TaskState;
  readonly source: 'human' | 'ai' | 'agent';
  readonly started_at: string | null;
  readonly finished_at: string | null;
  /** What the agent said or printed last; for a task that did not complete, why. */
  readonly result: string | null;
  /** What it used, where the agent says. */
  readonly tokens: number | null;
  /** US dollars. */
  readonly cost: number | null;
}

export const LOG_LEVELS = ['DEBUG', 'INFO', 'WARN', 'ERROR'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

export const LOG_TYPES = ['input', 'output', 'tool', 'system'] as const;
export type LogType = (typeof LOG_TYPES)[number];

/** A page of the log, of all entries or of those that have a text, in any case. */
export interface LogRequest extends Page {
  readonly search?: string | undefined;
}

export interface LogRow {
  readonly id: number;
  readonly timestamp: string;
  readonly message: string;
  readonly level: LogLevel;
  readonly type: LogType;
}

/** An entry of the log with what the conversation is made from. */
export interface DetailedLogRow extends LogRow {
  /** A `LogDetail` as JSON; null for a plain line. */
  readonly detail: string | null;
}
