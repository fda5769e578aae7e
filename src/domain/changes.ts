import type { EventKind } from './fleet-event.ts';
import type { Fact } from './fact.ts';
import type { PullRequest } from './metadata/pull-request.ts';
import type { AgentState } from './state.ts';
import type { StatusView } from './status.ts';
import { cut, LIST_TEXT_LIMIT } from './values/text.ts';

export interface Change {
  readonly seq: number;
  readonly at: string;
  readonly kind: EventKind;
  readonly data: Readonly<Record<string, unknown>>;
  /** Tells apart what time alone made after one fact. */
  readonly moment?: string;
}

/** The events that a fact gives its subscribers. */
export function changesOf(fact: Fact, before: StatusView, after: StatusView): readonly Change[] {
  const { seq, at } = fact;
  const changes: Change[] = [];
  const add = (kind: EventKind, data: Record<string, unknown>): void => {
    changes.push({ seq, at, kind, data });
  };
  addOwn(fact, add);
  if (before.status !== after.status || fact.body.kind === 'agent.created') {
    add('agent.status', { status: after.status, status_reason: after.status_reason, from: before.status });
  }
  if (before.needs_attention !== after.needs_attention) {
    add('attention', { needs_attention: after.needs_attention, status_reason: after.status_reason });
  }
  return changes;
}

/** What time alone made, told once for each silence: an agent that has become stuck. */
export function stuckChange(
  state: AgentState,
  { at, silent_since }: { readonly at: string; readonly silent_since: string },
  view: StatusView,
): Change {
  return {
    seq: state.seq,
    at,
    moment: silent_since,
    kind: 'attention',
    data: { needs_attention: true, stuck: true, status_reason: view.status_reason },
  };
}

/** What the agent's Taskfile says has changed. No fact: values that come and go are not kept for ever. */
export function fieldsChange(state: AgentState, at: string, fields: readonly string[]): Change {
  return { seq: state.seq, at, moment: at, kind: 'metadata', data: { fields: fields.slice(0, FIELDS_TOLD) } };
}

/** A checkpoint of the agent's files was made. No fact: the checkpoints themselves are in Fleet's repository. */
export function checkpointChange(
  state: AgentState,
  at: string,
  { number, commit }: { readonly number: number; readonly commit: string },
): Change {
  return { seq: state.seq, at, moment: commit, kind: 'checkpoint', data: { number, commit } };
}

/** A forge says something else of the agent's pull request than before. */
export function pullRequestChange(
  state: AgentState,
  at: string,
  { status, check_status }: PullRequest,
): Change {
  return {
    seq: state.seq,
    at,
    moment: at,
    kind: 'metadata',
    data: { pull_request: { status, check_status } },
  };
}

const FIELDS_TOLD = 20;

function addOwn({ body, by }: Fact, add: (kind: EventKind, data: Record<string, unknown>) => void): void {
  switch (body.kind) {
    case 'agent.created':
      return add('agent.created', { project: body.project, role: body.role, by: by.principal });
    case 'agent.deleted':
      return add('agent.deleted', { by: by.principal });
    case 'task.accepted':
      return add('task.accepted', {
        task_id: body.task_id,
        message: cut(body.message, LIST_TEXT_LIMIT),
        source: body.source,
      });
    case 'task.started':
      return add('task.started', { task_id: body.task_id, message: cut(body.message, LIST_TEXT_LIMIT) });
    case 'task.ended':
      return add('task.ended', {
        task_id: body.task_id,
        state: body.state,
        reason: cut(body.reason, LIST_TEXT_LIMIT),
      });
    case 'report':
      return add('report', { message: cut(body.message, LIST_TEXT_LIMIT), uri: body.uri, state: body.state });
    case 'approval.asked':
      return add('approval.asked', {
        approval_id: body.approval_id,
        approval_kind: body.question.kind,
        tool: cut(body.question.tool, LIST_TEXT_LIMIT),
      });
    case 'approval.answered':
      return add('approval.answered', {
        approval_id: body.approval_id,
        decision: body.decision,
        by: by.principal,
      });
    case 'approval.closed':
      return add('approval.answered', {
        approval_id: body.approval_id,
        decision: 'deny',
        reason: cut(body.reason, LIST_TEXT_LIMIT),
        by: by.principal,
      });
    case 'checks.started':
      return add('check', { commit: body.commit, state: 'running', failed: [] });
    case 'checks.ended':
      return add('check', { commit: body.commit, state: body.state, failed: body.failed });
    case 'metadata.set':
      return add('metadata', { key: body.key, removed: body.value === null });
    default:
      return undefined;
  }
}
