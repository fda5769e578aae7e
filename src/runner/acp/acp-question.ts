import { questionFields, type ApprovalOption, type Question } from '../../domain/approvals/approval.ts';
import { fillForm } from '../../domain/approvals/fill-form.ts';
import { formQuestion } from '../../domain/approvals/form-question.ts';
import type { Reply } from '../programs/questions.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';

/** A permission request as a question to a person, with all that it would do. */
export function permissionQuestion({ toolCall, options }: JsonObject): Question {
  const call = isObject(toolCall) ? toolCall : {};
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
export function permissionOutcome({ options }: Question, reply: Reply): JsonObject {
  if (reply.decision === 'gone') return { outcome: { outcome: 'cancelled' } };
  const optionId = reply.option ?? options.find(({ decision }) => decision === reply.decision)?.id;
  return { outcome: optionId === undefined ? { outcome: 'cancelled' } : { outcome: 'selected', optionId } };
}

export function noteText({ tool }: Question, decision: 'allow' | 'deny', note: string): string {
  return `"${tool}" was ${decision === 'allow' ? 'allowed' : 'denied'}: ${note}`;
}

/** A question of the agent, or of an MCP server that it uses, as one to a person. */
export function elicitedQuestion({ message, requestedSchema }: JsonObject): Question {
  return formQuestion(String(message ?? 'a question'), requestedSchema);
}

/** The answer was checked against the same form when it was given. */
export function elicitedAnswer(question: Question, reply: Reply): JsonObject {
  if (reply.decision === 'gone') return { action: 'cancel' };
  if (reply.decision === 'deny') return { action: 'decline' };
  return { action: 'accept', content: fillForm(questionFields(question), reply) };
}

/** Those for this once first: a plain yes must not be one for ever. */
function optionsOf(options: unknown): readonly ApprovalOption[] {
  const offered = (Array.isArray(options) ? options : []).filter(isObject);
  const [once, other] = [true, false].map((wanted) =>
    offered.filter(({ kind }) => String(kind).endsWith('_once') === wanted),
  );
  return [...(once ?? []), ...(other ?? [])].map((option) => ({
    id: String(option['optionId']),
    name: String(option['name'] ?? option['optionId']),
    decision: String(option['kind']).startsWith('allow') ? 'allow' : 'deny',
  }));
}

function pick(fields: JsonObject, ...names: string[]): JsonObject {
  return Object.fromEntries(
    names.flatMap((name) => (fields[name] === undefined ? [] : [[name, fields[name]]])),
  );
}
