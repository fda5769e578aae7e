import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { FleetError } from '../../domain/values/errors.ts';
import { isObject } from '../../wire/json-rpc.ts';
import { invalidResponse } from './model-errors.ts';
import type { ModelSettings } from './model-settings.ts';
import type { Model, ModelEvent, ModelFacts, ModelMessage, ModelRequest } from './model.ts';
import { eventData, parseJson } from './read-stream.ts';
import { RemoteModels } from './remote-models.ts';

const DONE = '[DONE]';

const count = z.number().int().min(0).nullish();
const callPart = z.looseObject({
  index: z.int().min(0).max(255).default(0),
  id: z.string().nullish(),
  function: z.looseObject({ name: z.string().nullish(), arguments: z.string().nullish() }).optional(),
});
const chunk = z.looseObject({
  error: z.union([z.string(), z.looseObject({ message: z.string() })]).nullish(),
  choices: z
    .array(
      z.looseObject({
        delta: z
          .looseObject({
            content: z.string().nullish(),
            reasoning_content: z.string().nullish(),
            reasoning: z.string().nullish(),
            tool_calls: z.array(callPart).nullish(),
          })
          .nullish(),
        finish_reason: z.string().nullish(),
      }),
    )
    .default([]),
  usage: z.looseObject({ prompt_tokens: count, completion_tokens: count }).nullish(),
});

interface GrowingCall {
  id: string;
  name: string;
  text: string;
}

/** A model behind an API that is compatible with OpenAI's chat completions. */
export class OpenaiModel implements Model {
  readonly url: string;
  readonly #remote: RemoteModels;
  /** Newer models of OpenAI refuse the older name, which is the only one that most other servers know. */
  #limit: 'max_tokens' | 'max_completion_tokens' = 'max_tokens';

  constructor(settings: ModelSettings) {
    const { api_key: key } = settings;
    this.#remote = new RemoteModels(settings, key === undefined ? {} : { Authorization: `Bearer ${key}` });
    this.url = this.#remote.url;
  }

  check(signal: AbortSignal): Promise<ModelFacts> {
    return this.#remote.check('/models', signal);
  }

  async *answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { messages, tools, answer } = request;
    const body = (): object => ({
      model: this.#remote.model,
      messages: messages.map(toOpenai),
      ...(tools.length === 0 ? {} : { tools: tools.map((each) => ({ type: 'function', function: each })) }),
      [this.#limit]: answer,
      stream: true,
      stream_options: { include_usage: true },
    });
    const calls = new Map<number, GrowingCall>();
    let usage: { prompt: number | null; answer: number | null } = { prompt: null, answer: null };
    let finish: string | undefined;
    const data = eventData(this.#stream(body, signal), this.url);
    for await (const text of data) {
      if (text === DONE) break;
      const parsed = chunk.safeParse(parseJson(text, this.url));
      if (!parsed.success) {
        throw invalidResponse(this.url, `it does not have the form of OpenAI's API`, parsed.error);
      }
      const { error, choices, usage: counted } = parsed.data;
      if (error) throw invalidResponse(this.url, typeof error === 'string' ? error : error.message);
      if (counted)
        usage = { prompt: counted.prompt_tokens ?? null, answer: counted.completion_tokens ?? null };
      const [choice] = choices;
      const { content, reasoning_content, reasoning, tool_calls } = choice?.delta ?? {};
      const thinking = reasoning_content || reasoning;
      if (thinking) yield { type: 'thinking', text: thinking };
      if (content) yield { type: 'text', text: content };
      for (const part of tool_calls ?? []) grow(calls, part);
      finish = choice?.finish_reason ?? finish;
    }
    // The last chunks may be missing where a proxy or the server gave up.
    if (finish === undefined) throw invalidResponse(this.url, 'it ended before it was complete');
    for (const { id, name, text } of calls.values()) {
      yield { type: 'call', call: { id, tool: name, arguments: text === '' ? {} : text } };
    }
    yield { type: 'end', reason: finish === 'length' ? 'length' : 'stop', usage };
  }

  async *#stream(body: () => object, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    try {
      yield* this.#remote.stream('/chat/completions', body(), signal);
    } catch (thrown) {
      if (this.#limit === 'max_completion_tokens' || !wantsNewLimit(thrown)) throw thrown;
      this.#limit = 'max_completion_tokens';
      yield* this.#remote.stream('/chat/completions', body(), signal);
    }
  }
}

function wantsNewLimit(thrown: unknown): boolean {
  return (
    thrown instanceof FleetError &&
    thrown.details['status'] === 400 &&
    thrown.message.includes('max_completion_tokens')
  );
}

/** A call comes in pieces, each with the place of its call. */
function grow(calls: Map<number, GrowingCall>, part: z.output<typeof callPart>): void {
  const call = calls.get(part.index) ?? { id: part.id || randomUUID(), name: '', text: '' };
  call.name += part.function?.name ?? '';
  call.text += part.function?.arguments ?? '';
  calls.set(part.index, call);
}

function toOpenai(message: ModelMessage): object {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text,
        ...(message.calls.length === 0
          ? {}
          : {
              tool_calls: message.calls.map(({ id, tool, arguments: args }) => ({
                id,
                type: 'function',
                function: { name: tool, arguments: JSON.stringify(isObject(args) ? args : {}) },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', tool_call_id: message.call_id, content: message.text };
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
  }
}
