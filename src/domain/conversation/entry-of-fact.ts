import type { Fact, FactBody, FactKind } from '../fact.ts';
import { taskResult } from '../task-result.ts';
import { cut } from '../values/text.ts';
import type { ConversationEntry, PermissionEntry } from './conversation-entry.ts';
import { CONVERSATION_LIMITS } from './conversation-limits.ts';
import { cutValue } from './cut-value.ts';

/** The facts that are parts of a conversation. */
export const CONVERSATION_FACTS = [
  'task.started',
  'task.ended',
  'report',
  'approval.asked',
  'approval.answered',
  'approval.closed',
] as const satisfies readonly FactKind[];

/** A fact as a part of the conversation. `askedFor` finds the question that a fact is about. */
export function entryOfFact(
  fact: Fact,
  askedFor: (approval_id: string) => Fact | undefined,
): ConversationEntry | undefined {
  const { body, at } = fact;
  const stamp = { at, updated_at: at };
  switch (body.kind) {
    case 'task.started': {
      const { text, truncated } = cutText(body.message);
      return {
        ...stamp,
        id: `task-${body.task_id}`,
        truncated,
        kind: 'task',
        task_id: body.task_id,
        text,
      };
    }
    case 'task.ended': {
      const { task_id, state, reason } = body;
      return {
        ...stamp,
        id: `end-${task_id}`,
        truncated: false,
        kind: 'task_end',
        task_id,
        state,
        reason,
        result: taskResult(body),
      };
    }
    case 'report': {
      const { text, truncated } = cutText(body.message);
      const { report_id, uri, state } = body;
      return { ...stamp, id: `report-${report_id}`, truncated, kind: 'report', report_id, text, uri, state };
    }
    case 'approval.asked':
      return permission(fact, body);
    case 'approval.answered':
    case 'approval.closed': {
      const asked = askedFor(body.approval_id);
      if (asked?.body.kind !== 'approval.asked') return undefined;
      return answered(permission(asked, asked.body), fact, body);
    }
    default:
      return undefined;
  }
}

type Body<Kind extends FactKind> = Extract<FactBody, { kind: Kind }>;

function permission({ at }: Fact, body: Body<'approval.asked'>): PermissionEntry {
  const { approval_id, question, expires_at } = body;
  const { value, truncated } = cutValue(question.input);
  const { text, truncated: isLong } = cutText(question.tool);
  return {
    id: `approval-${approval_id}`,
    at,
    updated_at: at,
    truncated: truncated || isLong,
    kind: 'permission',
    approval_id,
    question_kind: question.kind,
    question: text,
    input: value,
    options: question.options,
    expires_at,
    answer: null,
    closed: null,
  };
}

function answered(
  asked: PermissionEntry,
  { at, by }: Fact,
  body: Body<'approval.answered'> | Body<'approval.closed'>,
): PermissionEntry {
  if (body.kind === 'approval.closed') return { ...asked, updated_at: at, closed: body.reason };
  const { decision, option, answer, note } = body;
  return { ...asked, updated_at: at, answer: { decision, option, answer, note, by: by.principal } };
}

function cutText(whole: string): { readonly text: string; readonly truncated: boolean } {
  const text = cut(whole, CONVERSATION_LIMITS.text);
  return { text, truncated: text !== whole };
}
