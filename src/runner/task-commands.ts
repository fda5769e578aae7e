import { answeredAlready, fitAnswer, noApproval, parseApprovalId } from '../domain/approvals/approval.ts';
import { FleetError, quote } from '../domain/values/errors.ts';
import { METADATA_TOTAL_LIMIT, PULL_REQUEST_URL_KEY } from '../domain/metadata/metadata.ts';
import type { Actor } from '../domain/principal.ts';
import { isPullRequestAddress } from '../domain/metadata/pull-request.ts';
import type { AgentState } from '../domain/state.ts';
import { QUEUE_LIMIT, type HistoryRow, type TaskEnd } from '../domain/task.ts';
import type { Journal } from './journal/journal.ts';
import type { AcceptRequest, AnswerRequest, CancelRequest, ReportRequest } from './api/runner-client.ts';

/** What can be done to a journal by request: each is one transaction, decided on the state of that moment. */
export class TaskCommands {
  readonly #journal: Journal;

  constructor(journal: Journal) {
    this.#journal = journal;
  }

  /** Accepts a task, or refuses it and changes nothing. The same id again gives the same task. */
  accept(request: AcceptRequest): HistoryRow {
    const known = this.#journal.historyRow(request.task_id);
    if (known !== undefined) return sameTask(known, request);
    const state = this.#journal.state();
    checkOnline(state);
    if (request.when_busy === 'reject') checkFree(state);
    if (state.queue.length >= QUEUE_LIMIT) {
      throw new FleetError(
        'CONFLICT',
        `The agent has ${QUEUE_LIMIT} queued tasks, which is the limit. Cancel some, or wait.`,
        {
          reason: 'queue_full',
        },
      );
    }
    this.#journal.append(
      request.by,
      {
        kind: 'task.accepted',
        task_id: request.task_id,
        message: request.message,
        source: request.source,
        front: request.when_busy === 'interrupt',
      },
      ...(request.when_busy === 'interrupt' && state.running !== null
        ? [{ kind: 'task.cancel_requested', task_id: state.running.id } as const]
        : []),
    );
    return this.row(request.task_id);
  }

  /** Marks the running task as canceled, or takes a queued one out of the queue. */
  cancel({ task_id, by }: CancelRequest): { task: HistoryRow; interrupt: boolean } {
    const { running, queue } = this.#journal.state();
    // What was accepted a moment ago may be about to start.
    const target = task_id ?? running?.id ?? queue[0];
    if (target === undefined) {
      throw new FleetError('INVALID_INPUT', 'The agent has no running task to cancel.', {
        reason: 'nothing_to_cancel',
      });
    }
    if (target === running?.id) {
      if (!running.cancel_requested)
        this.#journal.append(by, { kind: 'task.cancel_requested', task_id: target });
      return { task: this.row(target), interrupt: true };
    }
    if (!queue.includes(target)) {
      throw new FleetError('INVALID_INPUT', `The agent has no running or queued task ${quote(target)}.`, {
        field: 'task_id',
        reason: 'nothing_to_cancel',
      });
    }
    this.#journal.append(by, {
      kind: 'task.ended',
      task_id: target,
      state: 'canceled',
      reason: `canceled by ${by.principal} while it was queued`,
    });
    return { task: this.row(target), interrupt: false };
  }

  report(request: ReportRequest): string {
    const known = this.#journal.historyRow(request.report_id);
    if (known !== undefined) return known.created_at;
    const { by, ...body } = request;
    this.#notePullRequest(body.uri, by);
    this.#journal.append(by, { kind: 'report', ...body });
    return this.row(request.report_id).created_at;
  }

  setMetadata(key: string, value: string | null, by: Actor): void {
    const present = this.#journal.metadata();
    if ((present[key] ?? null) === value) return;
    const size = sizeOf({ ...present, [key]: value ?? '' });
    if (size > METADATA_TOTAL_LIMIT) {
      throw new FleetError(
        'INVALID_INPUT',
        `The agent's metadata would have ${size} bytes; the limit is ${METADATA_TOTAL_LIMIT}.`,
        {
          field: 'value',
        },
      );
    }
    this.#journal.append(by, { kind: 'metadata.set', key, value });
  }

  /** A report is taken, also when there is no room for what could be learned from it. */
  #notePullRequest(uri: string | null, by: Actor): void {
    if (uri === null || !isPullRequestAddress(uri)) return;
    const room = METADATA_TOTAL_LIMIT - sizeOf(this.#journal.metadata());
    if (sizeOf({ [PULL_REQUEST_URL_KEY]: uri }) <= room) this.setMetadata(PULL_REQUEST_URL_KEY, uri, by);
  }

  /** The first answer stands. */
  answer({ approval_id, answer, by }: AnswerRequest): void {
    const { approvals, asked } = this.#journal.state();
    const open = approvals.find(({ id }) => id === approval_id);
    const question = open === undefined ? undefined : this.#journal.question(open);
    if (question === undefined) {
      throw (parseApprovalId(approval_id)?.number ?? Infinity) <= asked
        ? answeredAlready(approval_id)
        : noApproval(approval_id);
    }
    this.#journal.append(by, { kind: 'approval.answered', approval_id, ...fitAnswer(question, answer) });
  }

  acknowledge(by: Actor): void {
    const { attention, running } = this.#journal.state();
    // A running task may be stuck, which is decided when the agent is read.
    if (attention !== null || running !== null) this.#journal.append(by, { kind: 'agent.acknowledged' });
  }

  /** Cancels every queued task of an agent that is deleted. */
  cancelQueue(by: Actor): void {
    this.endQueue(by, { state: 'canceled', reason: 'the agent was deleted' });
  }

  /** Ends every queued task. */
  endQueue(by: Actor, how: { readonly state: TaskEnd; readonly reason: string }): void {
    for (const task_id of this.#journal.state().queue) {
      this.#journal.append(by, { kind: 'task.ended', task_id, ...how });
    }
  }

  row(id: string): HistoryRow {
    const row = this.#journal.historyRow(id);
    if (row === undefined) throw new Error(`history has no row ${id}`);
    return row;
  }
}

/** The task that was accepted before with this id. */
export function sameTask(known: HistoryRow, request: AcceptRequest): HistoryRow {
  if (known.message === request.message) return known;
  throw new FleetError('CONFLICT', 'This task id, or idempotency key, was used before with another text.', {
    field: 'idempotency_key',
  });
}

/** An offline agent takes no task. */
export function checkOnline(state: AgentState): void {
  if (isOnline(state)) return;
  throw new FleetError(
    'INVALID_INPUT',
    `The agent is offline (${state.phase}: ${state.phase_reason}) and accepts no task. restart_agent starts it again.`,
    { reason: 'agent_offline' },
  );
}

export function isOnline({ phase }: AgentState): boolean {
  switch (phase) {
    case 'pending':
    case 'starting':
    case 'ready':
      return true;
    case 'failed':
    case 'stopping':
    case 'stopped':
    case 'canceling':
    case 'canceled':
    case 'deleting':
    case 'deleted':
      return false;
  }
}

function checkFree({ phase, running, queue }: AgentState): void {
  if (phase === 'ready' && running === null && queue.length === 0) return;
  const what =
    running === null
      ? phase === 'ready'
        ? 'has queued tasks'
        : `is ${phase}`
      : `works on task ${running.id}`;
  throw new FleetError(
    'CONFLICT',
    `The agent is busy: it ${what}. Wait for it, or set when_busy to "queue" or "interrupt".`,
    { reason: 'agent_busy' },
  );
}

function sizeOf(metadata: Readonly<Record<string, string>>): number {
  return Object.entries(metadata).reduce(
    (sum, [name, text]) => sum + Buffer.byteLength(name) + Buffer.byteLength(text),
    0,
  );
}
