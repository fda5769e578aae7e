import type { ApprovalOption, Question } from '../../domain/approval.ts';
import type { Reply } from '../questions.ts';
import { isFields, type Fields } from './json-rpc.ts';

/** A permission request as a question to a person, with all that it would do. */
export function permissionQuestion({ toolCall, options }: Fields): Question {
  const call = isFields(toolCall) ? toolCall : {};
  const tool = String(call['name'] ?? call['kind'] ?? 'a tool');
  const title = String(call['title'] ?? '');
  return {
    kind: 'permission',
    tool: title === '' || title === tool ? tool : `${tool}: ${title}`,
    input: {
      tool,
      ...pick(call, 'kind', 'rawInput', 'content', 'locations'),
    },
    options: optionsOf(options),
  };
}

/** A denial without words chooses what the agent offers for it: it is told so, and goes on. */
export function permissionOutcome({ options }: Question, reply: Reply): object {
  if (reply.decision === 'gone') return { outcome: { outcome: 'cancelled' } };
  const optionId = reply.option ?? options.find(({ decision }) => decision === reply.decision)?.id;
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}

export function noteText({ tool }: Question, decision: 'allow' | 'deny', note: string): string {
  return `"${tool}" was ${decision === 'allow' ? 'allowed' : 'denied'}: ${note}`;
}

/** A question of the agent, or of an MCP server that it uses, as one to a person. */
export function elicitedQuestion({ message, requestedSchema }: Fields): Question {
  const choices = propertiesOf(requestedSchema).flatMap(([, schema]) => choicesOf(schema));
  return {
    kind: 'question',
    tool: String(message ?? 'a question'),
    input: { message, schema: requestedSchema },
    options: choices.map((choice) => ({ ...choice, decision: 'allow' })),
  };
}

/** The chosen option fills the first field that has it; a free answer the first that takes text. */
export function elicitedAnswer({ requestedSchema }: Fields, reply: Reply): object {
  if (reply.decision === 'gone') return { action: 'cancel' };
  if (reply.decision === 'deny') return { action: 'decline' };
  const fields = propertiesOf(requestedSchema);
  const chosen = fields.find(([, schema]) => choicesOf(schema).some(({ id }) => id === reply.option));
  const free = fields.find(([, schema]) => choicesOf(schema).length === 0);
  const content: Record<string, unknown> = {};
  if (reply.answer !== null && free !== undefined) content[free[0]] = valueFor(free[1], reply.answer);
  else if (chosen !== undefined) content[chosen[0]] = reply.option;
  return { action: 'accept', content };
}

/** Those for this once first: a plain yes must not be one for ever. */
function optionsOf(options: unknown): readonly ApprovalOption[] {
  const offered = (Array.isArray(options) ? options : []).filter(isFields);
  const [once, other] = [true, false].map((wanted) =>
    offered.filter(({ kind }) => String(kind).endsWith('_once') === wanted),
  );
  return [...(once ?? []), ...(other ?? [])].map((option) => ({
    id: String(option['optionId']),
    name: String(option['name'] ?? option['optionId']),
    decision: String(option['kind']).startsWith('allow') ? 'allow' : 'deny',
  }));
}

function propertiesOf(schema: unknown): readonly (readonly [string, Fields])[] {
  const properties = isFields(schema) && isFields(schema['properties']) ? schema['properties'] : {};
  return Object.entries(properties).flatMap(([name, value]) => (isFields(value) ? [[name, value]] : []));
}

function choicesOf(schema: Fields): readonly { readonly id: string; readonly name: string }[] {
  const named = Array.isArray(schema['oneOf']) ? schema['oneOf'].filter(isFields) : [];
  const plain = Array.isArray(schema['enum']) ? schema['enum'] : [];
  return [
    ...named.map((choice) => ({
      id: String(choice['const']),
      name: String(choice['title'] ?? choice['const']),
    })),
    ...plain.map((value) => ({ id: String(value), name: String(value) })),
  ];
}

function valueFor({ type }: Fields, answer: string): unknown {
  if (type === 'boolean') return /^(yes|true|y|1)$/i.test(answer.trim());
  if (type === 'number' || type === 'integer') return Number(answer);
  return answer;
}

function pick(fields: Fields, ...names: string[]): Fields {
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}
