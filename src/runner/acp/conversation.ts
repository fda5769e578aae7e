import { randomUUID } from 'node:crypto';
import type { LogDetail } from '../../domain/conversation/log-detail.ts';
import type { LogLevel, LogType } from '../../domain/task.ts';
import type { DriverSink } from '../programs/driver.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import {
  diffsOf,
  endedDetail,
  locationsOf,
  openedDetail,
  outputOf,
  planOf,
  textOf,
  type CallParts,
} from './call-detail.ts';

type Changing<Parts> = { -readonly [Field in keyof Parts]: Parts[Field] };

interface OpenCall extends Changing<CallParts> {
  /** Runs until its input, which comes in pieces, is whole. */
  telling: NodeJS.Timeout | undefined;
  told: boolean;
}

interface Speech {
  readonly kind: 'agent_message_chunk' | 'agent_thought_chunk';
  readonly id: unknown;
  text: string;
  /** Characters of it that the log has. */
  written: number;
  /** Runs until the next part of it is written. */
  writing: NodeJS.Timeout | undefined;
}

/** Characters of one log entry: a longer text goes on in the next. */
const ENTRY_LIMIT = 16_000;

const WHOLE_AFTER_MS = 250;

/** A message that takes longer is written in parts, so that a reader sees it as it is said. */
const PART_AFTER_MS = 1_000;

/** Turns the updates of a session into the log and the facts of an agent: pieces of speech become whole lines, tool calls
 *  a line when they are known and one when they end. */
export class Conversation {
  readonly #sink: DriverSink;
  readonly #calls = new Map<string, OpenCall>();
  #speech: Speech | undefined;
  #cost = 0;
  /** What was said and done since the last look: nothing at all is not a reply. */
  #replied = false;
  #tokens = 0;
  #lastMessage = '';
  #error = 'the agent has failed';
  #failure: string | undefined;
  /** When the quota of the account is there again, as the agent told last. */
  resetsAt: number | null = null;

  constructor(sink: DriverSink) {
    this.#sink = sink;
  }

  get hasOpenCall(): boolean {
    return this.#calls.size > 0;
  }

  /** Whether there was any reply since this was asked last. */
  takeReplied(): boolean {
    const replied = this.#replied;
    this.#replied = false;
    return replied;
  }

  /** The last message since this was asked last. */
  takeLastMessage(): string {
    const message = this.#lastMessage;
    this.#lastMessage = '';
    return message;
  }

  /** Tokens of the turn that is running, as far as the agent reports them in its course. */
  get tokensOfTurn(): number {
    return this.#tokens;
  }

  /** The tokens that were told beside what was said, since this was asked last. */
  takeTokens(): number {
    const tokens = this.#tokens;
    this.#tokens = 0;
    return tokens;
  }

  /** What the agent said is wrong with it since this was asked last; some end such a turn as if nothing were. */
  takeFailure(): string | undefined {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure;
  }

  /** The cost since this was asked last, in dollars. */
  #spent(amount: number): number {
    // An agent whose process was started again counts from 0.
    const spent = amount < this.#cost ? amount : amount - this.#cost;
    this.#cost = amount;
    return spent;
  }

  update(update: JsonObject): void {
    const kind = update['sessionUpdate'];
    if (kind === 'agent_message_chunk' || kind === 'agent_thought_chunk') return this.#hear(kind, update);
    this.flush();
    switch (kind) {
      case 'tool_call':
      case 'tool_call_update':
        return this.#call(update);
      case 'plan':
        return this.#plan(update);
      case 'usage_update':
        return this.#usage(update);
      case 'session_info_update':
        return this.#info(update);
      default:
        return this.#sink.progress();
    }
  }

  /** What was said so far goes to the log. */
  flush(): void {
    const speech = this.#speech;
    this.#speech = undefined;
    if (speech === undefined) return;
    clearTimeout(speech.writing);
    if (speech.kind === 'agent_message_chunk' && speech.text.trim() !== '') this.#lastMessage = speech.text;
    this.#write(speech, speech.text.length);
  }

  /** The turn is over: a call that has no end by now has none that anybody knows. */
  endTurn(state: 'failed' | 'unknown'): void {
    this.flush();
    for (const [call_id, call] of this.#calls) {
      this.#tell(call);
      this.#sink.fact({ kind: 'tool.ended', call_id, state });
      const outcome = state === 'failed' ? 'ended with the turn' : 'its outcome is unknown';
      this.#sink.log('WARN', 'tool', `${call.title}: ${outcome}`, endedDetail(call, state, ''));
    }
    this.#calls.clear();
  }

  #hear(kind: Speech['kind'], { messageId, content, _meta }: JsonObject): void {
    const usage = isObject(_meta) && isObject(_meta['usage']) ? _meta['usage'] : {};
    if (typeof usage['totalTokens'] === 'number') this.#tokens += usage['totalTokens'];
    const text = textOf(content);
    if (text === '') return this.#sink.progress();
    if (this.#speech?.kind !== kind || this.#speech.id !== messageId) this.flush();
    const speech = (this.#speech ??= { kind, id: messageId, text: '', written: 0, writing: undefined });
    speech.text += text;
    speech.writing ??= setTimeout(() => {
      speech.writing = undefined;
      this.#write(speech, speech.text.lastIndexOf('\n') + 1);
    }, PART_AFTER_MS);
    if (kind === 'agent_message_chunk') this.#replied = true;
    this.#sink.progress();
  }

  /** Writes what was said up to a place, unless it is blank. */
  #write(speech: Speech, end: number): void {
    const { kind, written } = speech;
    const text = speech.text.slice(written, end);
    if (text.trim() === '') return;
    speech.written = end;
    const of = kind === 'agent_message_chunk' ? 'message' : 'thought';
    const more = { of, continues: true } as const;
    this.#log(of === 'message' ? 'INFO' : 'DEBUG', 'output', text, [written === 0 ? { of } : more, more]);
  }

  #call(update: JsonObject): void {
    const id = String(update['toolCallId']);
    const call = this.#calls.get(id) ?? this.#open(id, update);
    if (update['rawInput'] !== undefined) call.input = update['rawInput'];
    if (typeof update['title'] === 'string') call.title = titleOf(call.tool, update['title']);
    call.locations = locationsOf(update) ?? call.locations;
    call.diffs = diffsOf(update) ?? call.diffs;
    this.#tellSoon(call);
    const { status } = update;
    if (status !== 'completed' && status !== 'failed') return this.#sink.progress();
    this.#tell(call);
    this.#calls.delete(id);
    this.#sink.fact({ kind: 'tool.ended', call_id: id, state: status });
    const output = outputOf(update);
    const detail = endedDetail(call, status, output);
    if (output === '') this.#sink.log('DEBUG', 'tool', `${call.title}: ${status}`, detail);
    else this.#log(status === 'failed' ? 'ERROR' : 'INFO', 'tool', output, [detail, { of: 'call_output' }]);
  }

  #open(id: string, update: JsonObject): OpenCall {
    const tool = String(update['name'] ?? update['kind'] ?? 'tool');
    const call: OpenCall = {
      id: randomUUID(),
      tool,
      title: titleOf(tool, String(update['title'] ?? '')),
      tool_kind: typeof update['kind'] === 'string' ? update['kind'] : null,
      input: undefined,
      locations: [],
      diffs: [],
      telling: undefined,
      told: false,
    };
    this.#calls.set(id, call);
    this.#replied = true;
    this.#sink.fact({ kind: 'tool.opened', call_id: id, tool });
    return call;
  }

  #tellSoon(call: OpenCall): void {
    clearTimeout(call.telling);
    if (!call.told && hasContent(call.input))
      call.telling = setTimeout(() => this.#tell(call), WHOLE_AFTER_MS);
  }

  #tell(call: OpenCall): void {
    clearTimeout(call.telling);
    if (call.told) return;
    call.told = true;
    const input = hasContent(call.input) && !isSaid(call) ? ` ${JSON.stringify(call.input)}` : '';
    this.#log('INFO', 'tool', `${call.title}${input}`, [openedDetail(call), { of: 'call_output' }]);
  }

  #plan(update: JsonObject): void {
    const entries = planOf(update);
    const lines = entries.map(({ status, content }) => `[${status}] ${content}`);
    this.#sink.log('INFO', 'system', ['plan:', ...lines].join('\n'), { of: 'plan', entries });
  }

  #usage({ cost, _meta }: JsonObject): void {
    const limit = isObject(_meta) ? _meta['_claude/rateLimit'] : undefined;
    if (isObject(limit) && typeof limit['resetsAt'] === 'number') this.resetsAt = limit['resetsAt'] * 1000;
    if (isObject(cost) && typeof cost['amount'] === 'number') {
      const spent = this.#spent(cost['amount']);
      if (spent > 0) this.#sink.fact({ kind: 'usage', tokens: 0, cost: spent });
    }
    this.#sink.progress();
  }

  /** Codex tells here of errors that it does not end a turn with. */
  #info({ _meta }: JsonObject): void {
    const { threadStatus, error } = isObject(_meta) && isObject(_meta['codex']) ? _meta['codex'] : {};
    if (isObject(error)) this.#error = String(error['message']);
    const status = isObject(threadStatus) ? threadStatus['type'] : undefined;
    if (status === 'systemError') this.#failure = this.#error;
    this.#sink.progress();
  }

  #log(
    level: LogLevel,
    type: LogType,
    text: string,
    [first, further]: readonly [first: LogDetail, further: LogDetail],
  ): void {
    for (let from = 0; from < text.length; from += ENTRY_LIMIT)
      this.#sink.log(level, type, text.slice(from, from + ENTRY_LIMIT), from === 0 ? first : further);
  }
}

function titleOf(tool: string, title: string): string {
  return title === '' || title === tool ? tool : `${tool}: ${title}`;
}

function hasContent(input: unknown): boolean {
  return isObject(input) ? Object.keys(input).length > 0 : input !== undefined && input !== null;
}

/** A command that is the title is not told twice. */
function isSaid({ title, input }: OpenCall): boolean {
  return isObject(input) && typeof input['command'] === 'string' && title.includes(input['command']);
}
