import { randomUUID } from 'node:crypto';
import type { Model, ModelCall, ModelMessage, ModelRequest, Usage } from '../model/model.ts';
import type { Approver } from '../tools/approver.ts';
import type { SessionTools, ToolOutcome } from '../tools/session-tools.ts';
import { isFinderTool } from '../tools/finder-tools.ts';
import { callInText } from './call-in-text.ts';
import { MOST_REPEATS, RepeatWatch } from './repeat-watch.ts';
import type { RoundEvent } from './round-event.ts';
import { runCall } from './run-call.ts';
import { streamAnswer, type StreamedAnswer } from './stream-answer.ts';

export const MOST_ROUNDS = 10;

export interface RoundsParts {
  readonly model: Pick<Model, 'answer'>;
  readonly tools: SessionTools;
  readonly approver: Approver;
  readonly emit: (event: RoundEvent) => void;
  /** Keeps a message of the conversation. */
  readonly record: (message: ModelMessage) => void;
  /** What the model is sent next, and how many characters a result may have. */
  readonly prepare: (signal: AbortSignal) => Promise<{
    readonly request: ModelRequest;
    readonly result_limit: number;
  }>;
  /** Called with what the model server counted. */
  readonly counted: (request: ModelRequest, usage: Usage) => void;
}

export interface RoundsResult {
  readonly text: string;
  readonly rounds: number;
  /** Why it ended before the model was done. */
  readonly stopped: 'rounds' | 'repeated' | 'length' | null;
}

const STOPPED = '[This answer is incomplete.]';
const CANCELED = 'The user stopped this before it was finished.';

/** Answers the newest message: the model, its calls, their results, until the model has nothing more to call. */
export async function runRounds(parts: RoundsParts, signal: AbortSignal): Promise<RoundsResult> {
  const { emit, record } = parts;
  const repeats = new RepeatWatch();
  const corrected = new Set<string>();
  for (let round = 0; ; round++) {
    const { request, result_limit } = await parts.prepare(signal);
    const answer = await askModel(parts, request, signal);
    const printed = answer.calls.length === 0 ? printedCall(answer.text, parts.tools) : undefined;
    const calls = printed === undefined ? answer.calls : [printed];
    record({ role: 'assistant', text: printed === undefined ? answer.text : '', calls });
    if (calls.length === 0) return finished(answer, round, emit);
    if (printed !== undefined) {
      emit({ type: 'notice', text: `The model printed a call to ${printed.tool} instead of making it.` });
    }
    if (round === MOST_ROUNDS) {
      giveUp(calls, `Not run: at most ${MOST_ROUNDS} rounds of tool calls for one message.`, record);
      const text = `Stopped after ${MOST_ROUNDS} rounds of tool calls for one message. Send another message to continue.`;
      emit({ type: 'notice', text });
      return { text: joined(answer.text, text), rounds: round, stopped: 'rounds' };
    }
    const results = await runAll(
      calls,
      { ...parts, corrected, limit: result_limit, printed: printed !== undefined },
      signal,
    );
    const made = calls.map((call, at) => ({ ...call, result: results[at]?.text ?? '' }));
    if (repeats.isStuck(made)) {
      const names = [...new Set(calls.map(({ tool }) => tool))].join(', ');
      const text = `Stopped: the model made the same call to ${names} ${MOST_REPEATS} times in a row, with the same result.`;
      emit({ type: 'notice', text });
      return { text: joined(answer.text, text), rounds: round + 1, stopped: 'repeated' };
    }
  }
}

/** An answer that is stopped is kept as far as it came. */
async function askModel(
  { model, emit, record, counted }: RoundsParts,
  request: ModelRequest,
  signal: AbortSignal,
): Promise<StreamedAnswer> {
  let partial = '';
  try {
    const answer = await streamAnswer({ model, request, emit }, (text) => (partial = text), signal);
    counted(request, answer.usage);
    return answer;
  } catch (thrown) {
    if (partial !== '') record({ role: 'assistant', text: joined(partial, STOPPED), calls: [] });
    throw thrown;
  }
}

type AllParts = Parameters<typeof runCall>[1] & Pick<RoundsParts, 'record'>;

/** Calls of one round do not depend on each other: they run side by side. */
async function runAll(
  calls: readonly ModelCall[],
  parts: AllParts,
  signal: AbortSignal,
): Promise<readonly ToolOutcome[]> {
  const settled = await Promise.allSettled(calls.map((call) => runCall(call, parts, signal)));
  const outcomes = settled.map((each): ToolOutcome =>
    each.status === 'fulfilled' ? each.value : { text: CANCELED, failed: true },
  );
  for (const [at, { id, tool }] of calls.entries()) {
    const { text = '', failed = true } = outcomes[at] ?? {};
    parts.record({ role: 'tool', call_id: id, tool, text, failed });
  }
  signal.throwIfAborted();
  const defect = settled.find((each) => each.status === 'rejected');
  if (defect !== undefined) throw defect.reason;
  return outcomes;
}

function giveUp(calls: readonly ModelCall[], text: string, record: RoundsParts['record']): void {
  for (const { id, tool } of calls) record({ role: 'tool', call_id: id, tool, text, failed: true });
}

function printedCall(text: string, tools: SessionTools): ModelCall | undefined {
  const isTool = (name: string): boolean => isFinderTool(name) || tools.find(name) !== undefined;
  return callInText(text, { id: randomUUID(), isTool });
}

function finished(
  { text, cut }: StreamedAnswer,
  rounds: number,
  emit: (event: RoundEvent) => void,
): RoundsResult {
  if (cut) emit({ type: 'notice', text: 'The answer was cut off: it reached the limit of tokens.' });
  else if (text.trim() === '') emit({ type: 'notice', text: 'The model sent an empty answer.' });
  return { text, rounds, stopped: cut ? 'length' : null };
}

function joined(...texts: readonly string[]): string {
  return texts.filter((text) => text.trim() !== '').join('\n\n');
}
