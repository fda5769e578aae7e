import type { ApprovalAnswer, Question } from './approvals/approval.ts';
import type { Actor, Source } from './principal.ts';
import type { BudgetUse } from './budget.ts';
import type { ChecksEnded, ChecksStarted } from './review/checks-state.ts';
import type { ReportState, TaskEnd } from './task.ts';

/** What can happen to an agent. Facts are kept for ever; order is by sequence, not by clock. */
export type FactBody =
  | {
      readonly kind: 'agent.created';
      readonly name: string;
      readonly project: string;
      readonly role: string;
      readonly stuck_after_ms: number;
    }
  | { readonly kind: 'agent.admitted' }
  | { readonly kind: 'agent.workspace_made'; readonly branch: string | null; readonly base: string | null }
  | { readonly kind: 'agent.ready' }
  | { readonly kind: 'agent.start_failed'; readonly reason: string }
  | { readonly kind: 'agent.stop_requested' }
  | { readonly kind: 'agent.stopped' }
  | { readonly kind: 'agent.restart_requested' }
  | { readonly kind: 'agent.deleting' }
  | { readonly kind: 'agent.deleted' }
  /** It came back from the archive, under a name that need not be the one before. */
  | { readonly kind: 'agent.restored'; readonly name: string }
  | { readonly kind: 'agent.acknowledged' }
  | {
      readonly kind: 'runner.started';
      readonly generation: number;
      readonly pid: number;
      readonly version: string;
      /** Whether the agent has checks; absent in facts of older versions. */
      readonly checks?: boolean;
    }
  | { readonly kind: 'runner.slept' }
  | { readonly kind: 'runner.lost'; readonly generation: number }
  | {
      readonly kind: 'task.accepted';
      readonly task_id: string;
      readonly message: string;
      readonly source: Source;
      readonly front: boolean;
    }
  | { readonly kind: 'task.started'; readonly task_id: string; readonly message: string }
  | { readonly kind: 'task.cancel_requested'; readonly task_id: string }
  | {
      readonly kind: 'task.ended';
      readonly task_id: string;
      readonly state: TaskEnd;
      readonly reason: string;
      readonly exit_code?: number;
      /** What the agent said or printed last. */
      readonly output?: string;
      /** What the task used of its budget, when that was more than it may. */
      readonly over_budget?: BudgetUse;
    }
  | {
      readonly kind: 'report';
      readonly report_id: string;
      readonly message: string;
      readonly uri: string | null;
      readonly state: ReportState;
    }
  /** The task goes on after its runner died. */
  | { readonly kind: 'task.resumed'; readonly task_id: string }
  | { readonly kind: 'session.opened'; readonly session_id: string; readonly how: 'new' | 'resumed' }
  | { readonly kind: 'tool.opened'; readonly call_id: string; readonly tool: string }
  | {
      readonly kind: 'tool.ended';
      readonly call_id: string;
      readonly state: 'completed' | 'failed' | 'unknown';
    }
  /** A turn went wrong and is tried again. */
  | {
      readonly kind: 'turn.retried';
      readonly task_id: string;
      readonly reason: string;
      readonly attempt: number;
    }
  /** What the running task used since the last such fact. */
  | { readonly kind: 'usage'; readonly tokens: number; readonly cost: number }
  /** Its account has no quota left. */
  | { readonly kind: 'agent.parked'; readonly reason: string; readonly until: string | null }
  | { readonly kind: 'agent.unparked' }
  | {
      readonly kind: 'approval.asked';
      readonly approval_id: string;
      readonly question: Question;
      readonly expires_at: string | null;
    }
  | ({ readonly kind: 'approval.answered'; readonly approval_id: string } & ApprovalAnswer)
  /** Nobody answered, and nobody waits any more. */
  | { readonly kind: 'approval.closed'; readonly approval_id: string; readonly reason: string }
  | ({ readonly kind: 'checks.started' } & ChecksStarted)
  | ({ readonly kind: 'checks.ended' } & ChecksEnded)
  | { readonly kind: 'metadata.set'; readonly key: string; readonly value: string | null }
  | {
      readonly kind: 'journal.mended';
      /** How many facts there were before this one. */
      readonly facts: number;
      /** Where the damaged journal was put; null when only the last facts were missing. */
      readonly kept_as: string | null;
    }
  | { readonly kind: 'log.cut'; readonly entries: number; readonly characters: number };

export type FactKind = FactBody['kind'];

/** What a driver tells of its agent. */
export type DriverFact = Extract<
  FactBody,
  { kind: 'session.opened' | 'tool.opened' | 'tool.ended' | 'turn.retried' | 'usage' }
>;

export interface FactStamp {
  readonly seq: number;
  readonly at: string;
  readonly awake_ms: number;
  readonly boot: string;
  readonly by: Actor;
}

export type Fact = FactStamp & { readonly body: FactBody };
