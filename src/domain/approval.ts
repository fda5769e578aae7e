import { FleetError, quote } from './errors.ts';

export const APPROVAL_KINDS = ['permission', 'question', 'tool_call'] as const;
export type ApprovalKind = (typeof APPROVAL_KINDS)[number];

export const DECISIONS = ['allow', 'deny'] as const;
export type Decision = (typeof DECISIONS)[number];

/** One of the answers that whoever asks offers. */
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
  /** Free text, for a question. */
  readonly answer: string | null;
  readonly note: string | null;
}

/** An answer as it was given, made to fit the question: the option stands for the decision and the other way round. */
export function fitAnswer({ options }: Question, answer: ApprovalAnswer): ApprovalAnswer {
  if (answer.option === null) {
    const first = options.find(({ decision }) => decision === answer.decision);
    return { ...answer, option: first?.id ?? null };
  }
  const chosen = options.find(({ id, name }) => id === answer.option || name === answer.option);
  if (chosen === undefined) {
    throw new FleetError(
      'INVALID_INPUT',
      `There is no option ${quote(answer.option)}; there are: ${options.map(({ id }) => id).join(', ') || 'none'}.`,
      { field: 'option' },
    );
  }
  if (chosen.decision !== answer.decision) {
    throw new FleetError(
      'INVALID_INPUT',
      `The option ${quote(chosen.id)} means ${chosen.decision}, and the decision is ${answer.decision}.`,
      { field: 'option' },
    );
  }
  return { ...answer, option: chosen.id };
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
    `The question ${quote(id)} is closed: it was answered, or nobody waits any more.`,
    {
      field: 'id',
      reason: 'answered_already',
    },
  );
}

export function noApproval(id: string): FleetError {
  return new FleetError(
    'NOT_FOUND',
    `There is no question ${quote(id)}. list_approvals shows those that are open.`,
    {
      field: 'id',
    },
  );
}
