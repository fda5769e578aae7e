import { toFleetError } from '../../domain/values/errors.ts';
import { cut } from '../../domain/values/text.ts';
import { OWN_SERVER } from '../../domain/values/view.ts';
import type { JsonObject } from '../../wire/json-rpc.ts';
import { cutResult } from '../context/cut-result.ts';
import type { ModelCall } from '../model/model.ts';
import type { Approver } from '../tools/approver.ts';
import { callEffect } from '../tools/call-effect.ts';
import { needsApproval, type SessionTool } from '../tools/session-tool.ts';
import type { SessionTools, ToolOutcome } from '../tools/session-tools.ts';
import { isFinderTool } from '../tools/finder-tools.ts';
import { schemaWithin } from '../tools/schema-within.ts';
import { findTools } from '../tools/tool-finder.ts';
import { parseArguments } from './call-arguments.ts';
import type { RoundEvent } from './round-event.ts';

const SCHEMA_CHARACTERS = 4_000;
const SHOWN_CHARACTERS = 200;

export interface CallParts {
  readonly tools: SessionTools;
  readonly approver: Approver;
  readonly emit: (event: RoundEvent) => void;
  /** Characters of a result that the model gets. */
  readonly limit: number;
  /** Tools whose schema the model was shown after an argument error; each only once for a message. */
  readonly corrected: Set<string>;
  /** True: the model printed the call instead of making it. */
  readonly printed: boolean;
}

/** Runs one call of the model. Whatever goes wrong is a result for the model; only an abort is thrown. */
export async function runCall(call: ModelCall, parts: CallParts, signal: AbortSignal): Promise<ToolOutcome> {
  const { emit, limit } = parts;
  const parsed = parseArguments(call.arguments);
  const { id, tool } = call;
  const began = performance.now();
  const clock = { asked_ms: 0 };
  emit({ type: 'call', id, tool, arguments: 'arguments' in parsed ? parsed.arguments : {} });
  const outcome =
    'problem' in parsed
      ? argumentError(tool, `The arguments of ${tool} ${parsed.problem}.`, parts)
      : await runNamed({ id, tool, args: parsed.arguments, clock }, parts, signal);
  emit({
    type: 'result',
    id,
    tool,
    failed: outcome.failed,
    took_ms: Math.round(performance.now() - began - clock.asked_ms),
    text: cut(outcome.text, SHOWN_CHARACTERS),
  });
  return { ...outcome, text: cutResult(outcome.text, limit) };
}

interface NamedCall {
  readonly id: string;
  readonly tool: string;
  readonly args: JsonObject;
  /** What a person took to answer is not the tool's time. */
  readonly clock: { asked_ms: number };
}

async function runNamed(call: NamedCall, parts: CallParts, signal: AbortSignal): Promise<ToolOutcome> {
  const { tools } = parts;
  const { id, tool: name, args } = call;
  const tool = tools.find(name);
  if (tool === undefined && isFinderTool(name)) {
    const found = foundTools(name, args, parts);
    if (!('tool' in found)) return found;
    const parsed = parseArguments(found.arguments);
    if ('problem' in parsed) {
      return argumentError(found.tool, `The arguments of ${found.tool} ${parsed.problem}.`, parts);
    }
    return runNamed({ ...call, tool: found.tool, args: parsed.arguments }, parts, signal);
  }
  const asked_at = performance.now();
  const refusal = tool === undefined ? undefined : await refusalOf(tool, args, parts, signal);
  call.clock.asked_ms += performance.now() - asked_at;
  if (refusal !== undefined) return refusal;
  const outcome = await tools.call(name, args, {
    signal,
    allowed: tool !== undefined && needsApproval(tool, OWN_SERVER),
    unusual: parts.printed,
    approver: approverDuring(call, parts),
    onProgress: (message) => parts.emit({ type: 'progress', id, tool: name, message }),
  });
  return outcome.code === 'INVALID_INPUT' ? argumentError(name, outcome.text, parts) : outcome;
}

/** For what is asked while the tool runs. */
function approverDuring({ clock }: NamedCall, { approver, emit }: CallParts): Approver {
  const timed = async <Value>(ask: () => Promise<Value>): Promise<Value> => {
    const asked_at = performance.now();
    try {
      return await ask();
    } finally {
      clock.asked_ms += performance.now() - asked_at;
    }
  };
  return {
    ask: (question, signal) => timed(() => approver.ask(question, signal)),
    answer: async (question, signal) => {
      const answer = await timed(() => approver.answer(question, signal));
      if (answer.action === 'decline' && answer.unasked) emit({ type: 'notice', text: answer.reason });
      return answer;
    },
  };
}

function foundTools(name: string, args: JsonObject, { tools, limit }: CallParts) {
  try {
    const found = findTools({ name, arguments: args }, tools.list(), limit);
    return 'tool' in found ? found : { text: found.text, failed: false };
  } catch (thrown) {
    return { text: toFleetError(thrown).message, failed: true };
  }
}

/** Undefined when the call may be made. */
async function refusalOf(
  tool: SessionTool,
  args: JsonObject,
  { tools, approver, printed }: CallParts,
  signal: AbortSignal,
): Promise<ToolOutcome | undefined> {
  if (!needsApproval(tool, OWN_SERVER)) return undefined;
  const effect = await callEffect(tools, { tool, args }, signal);
  const answer = await approver.ask({ tool: tool.name, arguments: args, effect, unusual: printed }, signal);
  if (answer.allowed) return undefined;
  return {
    text: `${answer.reason} Do not call ${tool.name} again unless you are asked to.`,
    failed: true,
    code: 'approval_denied',
  };
}

/** The model gets the schema with its first error, and only then. */
function argumentError(name: string, text: string, { tools, corrected, limit }: CallParts): ToolOutcome {
  const schema = corrected.has(name) ? undefined : tools.find(name)?.parameters;
  corrected.add(name);
  if (schema === undefined) return { text, failed: true, code: 'INVALID_INPUT' };
  const hint = '\nThe arguments must match this JSON Schema: ';
  const room = Math.min(SCHEMA_CHARACTERS, limit - text.length - hint.length);
  const shown = JSON.stringify(schemaWithin(schema, room));
  return { text: text + hint + shown, failed: true, code: 'INVALID_INPUT' };
}
