import { FleetError, quote } from '../values/errors.ts';
import { fillForm } from './fill-form.ts';
import { formFields, type FormField } from './form.ts';

export const APPROVAL_KINDS = ['permission', 'question', 'tool_call'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const DECISIONS = ['allow', 'deny'] as const;
export type Decision = (typeof DECISIONS)[number];

/** One of the answers that the asking side offers. */
export interface ApprovalOption {
  readonly id: string;
  readonly name: string;
  /** What choosing it means. */
  readonly decision: Decision;
}

/** What somebody is asked to allow, or to answer. */
export interface Question {
  readonly kind: ApprovalKind;
  /** What wants to be used: a tool, a command. */
  readonly tool: string;
  /** All that it would be used with: the command, the path, the diff; or what is asked. */
  readonly input: unknown;
  readonly options: readonly ApprovalOption[];
}

/** A question that waits for a person. */
export interface Approval extends Question {
  readonly id: string;
  /** Null for a call of a tool that no agent of the fleet made. */
  readonly agent_name: string | null;
  readonly asked_at: string;
  readonly expires_at: string | null;
  readonly asked_by: string;
}

export interface ApprovalAnswer {
  readonly decision: Decision;
  /** The id of one of the options. */
  readonly option: string | null;
  /** For a question: the value of one field of its form, or a JSON object with several. */
  readonly answer: string | null;
  readonly note: string | null;
}

/** Checks an answer against its question. A permission without an option gets the first one of the decision; a question never does. */
export function fitAnswer(question: Question, answer: ApprovalAnswer): ApprovalAnswer {
  if (answer.answer !== null && question.kind !== 'question') {
    throw new FleetError(
      'INVALID_INPUT',
      `${quote(question.tool)} needs only an approval, not an answer in words: leave out answer ${quote(answer.answer)}. A note tells the agent why.`,
      { field: 'answer' },
    );
  }
  const option = answer.option === null ? null : chosenOption(question, answer, answer.option);
  if (question.kind === 'question' && answer.decision === 'allow') {
    fillForm(questionFields(question), { option, answer: answer.answer });
    return { ...answer, option };
  }
  const first = question.options.find(({ decision }) => decision === answer.decision);
  return { ...answer, option: option ?? first?.id ?? null };
}

/** The fields that the answer to a question fills. */
export function questionFields({ kind, input }: Pick<Question, 'kind' | 'input'>): readonly FormField[] {
  const isForm = kind === 'question' && typeof input === 'object' && input !== null && 'schema' in input;
  return isForm ? formFields(input.schema) : [];
}

function chosenOption({ options }: Question, { decision }: ApprovalAnswer, wanted: string): string {
  const chosen = options.find(({ id, name }) => id === wanted || name === wanted);
  if (chosen === undefined) {
    throw new FleetError(
      'INVALID_INPUT',
      `There is no option ${quote(wanted)}; there are: ${options.map(({ id }) => id).join(', ') || 'none'}.`,
      { field: 'option' },
    );
  }
  if (chosen.decision !== decision) {
    throw new FleetError(
      'INVALID_INPUT',
      `The option ${quote(chosen.id)} means ${chosen.decision}, and the decision is ${decision}.`,
      { field: 'option' },
    );
  }
  return chosen.id;
}

/** Names the agent that asks, by the beginning of its workspace's id, and counts its questions. */
export function approvalId(workspaceId: string, number: number): string {
  return `${workspaceId.slice(0, 8)}-${number}`;
}

/** Undefined for an id that no agent makes. */
export function parseApprovalId(
  id: string,
): { readonly workspace: string; readonly number: number } | undefined {
  const [, workspace, number] = /^([0-9a-f]{8})-([1-9]\d{0,8})$/.exec(id) ?? [];
  return workspace === undefined ? undefined : { workspace, number: Number(number) };
}

export function answeredAlready(id: string): FleetError {
  return new FleetError(
    'CONFLICT',
    `The approval ${quote(id)} is closed: it was answered, or it is no longer needed.`,
    {
      field: 'id',
      reason: 'answered_already',
    },
  );
}

export function noApproval(id: string): FleetError {
  return new FleetError(
    'NOT_FOUND',
    `There is no approval ${quote(id)}. list_approvals shows the pending ones.`,
    {
      field: 'id',
    },
  );
}
