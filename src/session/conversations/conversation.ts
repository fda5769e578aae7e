import type { ModelCall, ModelMessage } from '../model/model.ts';
import { parseArguments } from '../rounds/call-arguments.ts';
import type { ConversationEntry, KeptMessage } from './conversation-entry.ts';

export interface ConversationUsage {
  readonly prompt: number;
  readonly answer: number;
  readonly took_ms: number;
  readonly answers: number;
}

const NO_RESULT = 'The session ended before this call had a result.';
const SUMMARY = 'Summary of the conversation so far:';

/** What the entries of a conversation add up to. Pure: where they are kept is another matter. */
export class Conversation {
  readonly #messages: KeptMessage[] = [];
  #summary: { readonly text: string; readonly covers: number } | undefined;
  #usage: ConversationUsage = { prompt: 0, answer: 0, took_ms: 0, answers: 0 };

  constructor(entries: readonly ConversationEntry[] = []) {
    for (const entry of entries) this.add(entry);
  }

  get messages(): readonly KeptMessage[] {
    return this.#messages;
  }

  get usage(): ConversationUsage {
    return this.#usage;
  }

  get title(): string {
    const first = this.#messages.find(({ role }) => role === 'user');
    return first?.text.replaceAll(/\s+/g, ' ').trim() ?? '';
  }

  /** How many messages the summary stands for. */
  get covered(): number {
    return this.#summary?.covers ?? 0;
  }

  add(entry: ConversationEntry): void {
    switch (entry.type) {
      case 'message':
        this.#messages.push(entry.message);
        break;
      case 'summary':
        this.#summary = { text: entry.text, covers: Math.min(entry.covers, this.#messages.length) };
        break;
      case 'usage': {
        const { prompt, answer, took_ms, answers } = this.#usage;
        this.#usage = {
          prompt: prompt + entry.prompt,
          answer: answer + entry.answer,
          took_ms: took_ms + entry.took_ms,
          answers: answers + 1,
        };
        break;
      }
      case 'start':
        break;
    }
  }

  /** The summary, if there is one, and the messages after it. Every call has a result, also of a session that died. */
  forModel(): readonly ModelMessage[] {
    const rest = withResults(this.#messages.slice(this.covered));
    if (this.#summary === undefined) return rest;
    return [{ role: 'user', text: `${SUMMARY}\n${this.#summary.text}` }, ...rest];
  }

  /** How many kept messages the first messages for the model stand for. */
  keptBefore(count: number): number {
    const view = this.forModel().slice(0, count);
    const added = view.filter((message) => message.role === 'tool' && message.text === NO_RESULT).length;
    return this.covered + view.length - added - (this.#summary === undefined ? 0 : 1);
  }
}

function withResults(messages: readonly KeptMessage[]): readonly ModelMessage[] {
  const answered = new Set(messages.flatMap((each) => (each.role === 'tool' ? [each.call_id] : [])));
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role !== 'assistant') return [message];
    const open = message.calls.filter(({ id }) => !answered.has(id));
    return [
      { ...message, calls: message.calls.map(withObject) },
      ...open.map(({ id, tool }) => ({
        role: 'tool' as const,
        call_id: id,
        tool,
        text: NO_RESULT,
        failed: true,
      })),
    ];
  });
}

/** Some models send the arguments as JSON text. The next request must show what the call was made with. */
function withObject(call: ModelCall): ModelCall {
  const parsed = parseArguments(call.arguments);
  return 'arguments' in parsed ? { ...call, arguments: parsed.arguments } : call;
}
