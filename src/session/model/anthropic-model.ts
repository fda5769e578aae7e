import { z } from 'zod';
import { isObject } from '../../wire/json-rpc.ts';
import { invalidResponse } from './model-errors.ts';
import type { ModelSettings } from './model-settings.ts';
import type { Model, ModelEvent, ModelFacts, ModelMessage, ModelRequest } from './model.ts';
import { eventData, parseJson } from './read-stream.ts';
import { RemoteModels } from './remote-models.ts';

const VERSION = '2023-06-01';

const count = z.number().int().min(0).nullish();
const usageOf = z.looseObject({
  input_tokens: count,
  cache_read_input_tokens: count,
  cache_creation_input_tokens: count,
  output_tokens: count,
});
const index = z.int().min(0);
const event = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('message_start'), message: z.looseObject({ usage: usageOf.optional() }) }),
  z.looseObject({
    type: z.literal('content_block_start'),
    index,
    content_block: z.looseObject({
      type: z.string(),
      id: z.string().optional(),
      name: z.string().optional(),
    }),
  }),
  z.looseObject({
    type: z.literal('content_block_delta'),
    index,
    delta: z.looseObject({
      type: z.string(),
      text: z.string().optional(),
      thinking: z.string().optional(),
      partial_json: z.string().optional(),
    }),
  }),
  z.looseObject({
    type: z.literal('message_delta'),
    delta: z.looseObject({ stop_reason: z.string().nullish() }),
    usage: usageOf.optional(),
  }),
  z.looseObject({ type: z.literal('message_stop') }),
  z.looseObject({ type: z.literal('error'), error: z.looseObject({ message: z.string() }) }),
]);
const anyEvent = z.looseObject({ type: z.string() });
/** Kinds that carry nothing for us; new ones may appear. */
const KNOWN: ReadonlySet<string> = new Set(event.options.map(({ shape }) => shape.type.value));

/** A model behind Anthropic's API. */
export class AnthropicModel implements Model {
  readonly url: string;
  readonly #remote: RemoteModels;

  constructor(settings: ModelSettings) {
    const { api_key: key } = settings;
    this.#remote = new RemoteModels(settings, {
      'anthropic-version': VERSION,
      ...(key === undefined ? {} : { 'x-api-key': key }),
    });
    this.url = this.#remote.url;
  }

  check(signal: AbortSignal): Promise<ModelFacts> {
    return this.#remote.check('/v1/models?limit=1000', signal);
  }

  async *answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { messages, tools, answer } = request;
    const system = messages.flatMap((each) => (each.role === 'system' ? [each.text] : [])).join('\n\n');
    const body = {
      model: this.#remote.model,
      max_tokens: answer,
      ...(system === '' ? {} : { system }),
      messages: toAnthropic(messages),
      ...(tools.length === 0
        ? {}
        : { tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })) }),
      stream: true,
    };
    const calls = new Map<number, { readonly id: string; readonly name: string; text: string }>();
    let prompt: number | null = null;
    let said: number | null = null;
    let reason: 'stop' | 'length' = 'stop';
    for await (const text of eventData(this.#remote.stream('/v1/messages', body, signal), this.url)) {
      const next = this.#parse(text);
      switch (next?.type) {
        case 'message_start':
          prompt = promptTokens(next.message.usage);
          break;
        case 'content_block_start': {
          const { type, id, name } = next.content_block;
          if (type === 'tool_use') calls.set(next.index, { id: id ?? '', name: name ?? '', text: '' });
          break;
        }
        case 'content_block_delta': {
          const { text: words, thinking, partial_json } = next.delta;
          if (words) yield { type: 'text', text: words };
          if (thinking) yield { type: 'thinking', text: thinking };
          const call = calls.get(next.index);
          if (call !== undefined) call.text += partial_json ?? '';
          break;
        }
        case 'message_delta':
          if (next.delta.stop_reason === 'max_tokens') reason = 'length';
          said = next.usage?.output_tokens ?? said;
          break;
        case 'message_stop':
          for (const { id, name, text: given } of calls.values()) {
            yield { type: 'call', call: { id, tool: name, arguments: given === '' ? {} : given } };
          }
          yield { type: 'end', reason, usage: { prompt, answer: said } };
          return;
        case 'error':
          throw invalidResponse(this.url, next.error.message);
        case undefined:
          break;
      }
    }
    throw invalidResponse(this.url, 'it ended before it was complete');
  }

  #parse(text: string): z.output<typeof event> | undefined {
    const value = parseJson(text, this.url);
    const kind = anyEvent.safeParse(value);
    if (kind.success && !KNOWN.has(kind.data.type)) return undefined;
    const parsed = event.safeParse(value);
    if (parsed.success) return parsed.data;
    throw invalidResponse(this.url, `it does not have the form of Anthropic's API`, parsed.error);
  }
}

function promptTokens(usage: z.output<typeof usageOf> | undefined): number | null {
  if (usage?.input_tokens === null || usage?.input_tokens === undefined) return null;
  return usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0);
}

interface Block {
  readonly role: 'user' | 'assistant';
  readonly content: object[];
}

/** Roles take turns there: results of tools are the user's, and neighbours of one role are one message. */
function toAnthropic(messages: readonly ModelMessage[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const message of messages) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const last = blocks.at(-1);
    if (last?.role === role) last.content.push(...contentOf(message));
    else blocks.push({ role, content: contentOf(message) });
  }
  return blocks.filter(({ content }) => content.length > 0);
}

function contentOf(message: Exclude<ModelMessage, { readonly role: 'system' }>): object[] {
  if (message.role === 'tool') {
    const { call_id, text, failed } = message;
    return [
      { type: 'tool_result', tool_use_id: call_id, content: text, ...(failed ? { is_error: true } : {}) },
    ];
  }
  const text = message.text === '' ? [] : [{ type: 'text', text: message.text }];
  if (message.role === 'user') return text;
  const calls = message.calls.map(({ id, tool, arguments: args }) => ({
    type: 'tool_use',
    id,
    name: tool,
    input: isObject(args) ? args : {},
  }));
  return [...text, ...calls];
}
