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
export function fitAnswer(question: Question, answer: ApprovalAnswer): ApprovalAnswer {
  if (answer.answer !== null && question.kind !== 'question') {
    throw new FleetError(
      'INVALID_INPUT',
      `${quote(question.tool)} asks to be allowed, and takes no answer in words: leave out answer ${quote(answer.answer)}. A note tells the agent why.`,
      { field: 'answer' },
    );
  }
  if (answer.option !== null) return { ...answer, option: chosenOption(question, answer, answer.option) };
  if (answer.answer !== null) return fitWords(question, answer, answer.answer);
  const first = question.options.find(({ decision }) => decision === answer.decision);
  if (first === undefined && answer.decision === 'allow' && wantsWords(question)) {
    throw new FleetError(
      'INVALID_INPUT',
      `${quote(question.tool)} wants an answer in words: give it as answer (fleet approve ID --answer TEXT).`,
      { field: 'answer' },
    );
  }
  return { ...answer, option: first?.id ?? null };
}

function chosenOption({ options }: Question, { decision }: ApprovalAnswer, wanted: string): string {
  const chosen = options.find(({ id, name }) => id === wanted || name === wanted);
  if (chosen === undefined) throw noOption('option', wanted, options);
  if (chosen.decision !== decision) {
    throw new FleetError(
      'INVALID_INPUT',
      `The option ${quote(chosen.id)} means ${chosen.decision}, and the decision is ${decision}.`,
      { field: 'option' },
    );
  }
  return chosen.id;
}

/** Words that name an option choose it; others are for a field that takes any. */
function fitWords(question: Question, answer: ApprovalAnswer, words: string): ApprovalAnswer {
  const { options } = question;
  const named = options.find(({ id, name }) => id === words || name === words);
  if (named?.decision === answer.decision) return { ...answer, option: named.id, answer: null };
  if (answer.decision === 'allow' && options.length > 0 && !hasFreeField(question.input))
    throw noOption('answer', words, options);
  return answer;
}

function noOption(
  field: 'option' | 'answer',
  wanted: string,
  options: readonly ApprovalOption[],
): FleetError {
  return new FleetError(
    'INVALID_INPUT',
    `There is no option ${quote(wanted)}; there are: ${options.map(({ id }) => id).join(', ') || 'none'}.`,
    { field },
  );
}

/** A form without any field asks for a plain yes. */
function wantsWords({ kind, input }: Question): boolean {
  return kind === 'question' && formFields(input)?.length !== 0;
}

function hasFreeField(input: unknown): boolean {
  return formFields(input)?.some((field) => !('enum' in field) && !('oneOf' in field)) ?? true;
}

/** The fields of the form that a question comes with; undefined when it has none. */
function formFields(input: unknown): readonly object[] | undefined {
  const schema = isObject(input) && 'schema' in input ? input.schema : undefined;
  if (!isObject(schema)) return undefined;
  const properties = 'properties' in schema && isObject(schema.properties) ? schema.properties : {};
  return Object.values(properties).filter(isObject);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
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
