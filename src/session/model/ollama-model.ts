import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { invalidResponse, noModel, refused } from './model-errors.ts';
import { ModelHttp, RefusedByServer } from './model-http.ts';
import type { ModelSettings } from './model-settings.ts';
import type {
  LoadedMemory,
  Model,
  ModelEvent,
  ModelFacts,
  ModelMessage,
  ModelRequest,
  PullProgress,
} from './model.ts';
import { factsOf, loadedMemory, ollamaDetails, ollamaLoaded } from './ollama-facts.ts';
import { jsonLines } from './read-stream.ts';
import { isObject } from '../../wire/json-rpc.ts';

const HINT =
  'Start Ollama with: ollama serve. Another address is set with --url, or session.url in fleet.yaml.';
const NDJSON = ['application/x-ndjson', 'application/json'] as const;

const tagsAnswer = z.looseObject({
  models: z.array(z.looseObject({ name: z.string(), size: z.number().default(0) })).default([]),
});

const count = z.number().int().min(0).optional();
const failure = z.object({ error: z.string() });
const toolCall = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.unknown().optional() }),
});
const chatAnswer = z.looseObject({
  message: z
    .looseObject({
      content: z.string().default(''),
      thinking: z.string().optional(),
      tool_calls: z.array(toolCall).nullish(),
    })
    .optional(),
  done: z.boolean(),
  done_reason: z.string().optional(),
  prompt_eval_count: count,
  eval_count: count,
});

const pullAnswer = z.looseObject({
  status: z.string(),
  total: z.number().optional(),
  completed: z.number().optional(),
});

/** A model behind Ollama's own API. Its OpenAI-compatible one ignores the size of the context. */
export class OllamaModel implements Model {
  readonly url: string;
  readonly #settings: ModelSettings;
  readonly #http: ModelHttp;
  #facts: ModelFacts | undefined;

  constructor(settings: ModelSettings) {
    this.#settings = settings;
    this.#http = new ModelHttp(settings, HINT);
    this.url = this.#http.url;
  }

  async check(signal: AbortSignal): Promise<ModelFacts> {
    try {
      await this.#http.json({ method: 'GET', path: '/api/version', signal });
      const tags = this.#parse(
        tagsAnswer,
        await this.#http.json({ method: 'GET', path: '/api/tags', signal }),
      );
      const [found, loaded] = await Promise.all([this.#find(tags.models, signal), this.#loaded(signal)]);
      this.#facts = { ...found, loaded };
      return this.#facts;
    } catch (thrown) {
      throw this.#asOurs(thrown);
    }
  }

  async *answer(request: ModelRequest, signal: AbortSignal): AsyncGenerator<ModelEvent> {
    const { messages, tools, window, answer } = request;
    const body = {
      model: this.#facts?.name ?? this.#settings.model,
      messages: messages.map(toOllama),
      ...(tools.length === 0 ? {} : { tools: tools.map((each) => ({ type: 'function', function: each })) }),
      stream: true,
      ...(this.#facts?.thinks === true ? { think: this.#settings.think } : {}),
      options: { num_ctx: window, num_predict: answer },
    };
    try {
      const stream = this.#http.stream({ method: 'POST', path: '/api/chat', body, signal }, NDJSON);
      for await (const value of jsonLines(stream, this.url)) {
        const line = this.#line(chatAnswer, value);
        yield* eventsOf(line);
        if (!line.done) continue;
        const { prompt_eval_count: prompt = null, eval_count: said = null } = line;
        const reason = line.done_reason === 'length' ? 'length' : 'stop';
        yield { type: 'end', reason, usage: { prompt, answer: said } };
        return;
      }
    } catch (thrown) {
      throw this.#asOurs(thrown);
    }
    throw invalidResponse(this.url, 'it ended before it was complete');
  }

  async *pull(signal: AbortSignal): AsyncGenerator<PullProgress> {
    const body = { model: this.#settings.model, stream: true };
    try {
      const stream = this.#http.stream({ method: 'POST', path: '/api/pull', body, signal }, NDJSON);
      for await (const value of jsonLines(stream, this.url)) {
        const { status, total = null, completed = null } = this.#line(pullAnswer, value);
        yield { status, total, completed };
        if (status === 'success') return;
      }
    } catch (thrown) {
      throw this.#asOurs(thrown);
    }
    throw invalidResponse(this.url, 'the download ended before it was complete');
  }

  /** The model of the settings; else the newest that can call tools, else the newest. */
  async #find(
    models: readonly { readonly name: string; readonly size: number }[],
    signal: AbortSignal,
  ): Promise<Omit<ModelFacts, 'loaded'>> {
    const { model } = this.#settings;
    const wanted = models.filter(({ name }) => model === undefined || isSame(name, model));
    let first: Omit<ModelFacts, 'loaded'> | undefined;
    for (const { name, size } of wanted) {
      const facts = factsOf(name, size, await this.#details(name, signal));
      if (facts.tools) return facts;
      first ??= facts;
    }
    if (first !== undefined) return first;
    const hint =
      model === undefined
        ? 'Pull one that can call tools, for example: ollama pull qwen3'
        : `Pull it with: ollama pull ${model}`;
    throw noModel(model, { models: models.map(({ name }) => name), hint });
  }

  /** Only a help for the choice of the window: a server that does not say it can be used all the same. */
  async #loaded(signal: AbortSignal): Promise<LoadedMemory> {
    try {
      const answer = await this.#http.json({ method: 'GET', path: '/api/ps', signal });
      return loadedMemory(this.#parse(ollamaLoaded, answer));
    } catch {
      signal.throwIfAborted();
      return { main: 0, graphics: 0 };
    }
  }

  async #details(model: string, signal: AbortSignal) {
    const body = { model };
    return this.#parse(
      ollamaDetails,
      await this.#http.json({ method: 'POST', path: '/api/show', body, signal }),
    );
  }

  /** A line of a stream may be an error instead. */
  #line<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    const failed = failure.safeParse(value);
    if (failed.success) throw new RefusedByServer(500, failed.data.error);
    return this.#parse(schema, value);
  }

  #parse<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw invalidResponse(this.url, `it does not have the form of Ollama's API`, parsed.error);
  }

  #asOurs(thrown: unknown): unknown {
    return thrown instanceof RefusedByServer ? refused(this.url, thrown, this.#settings.api_key_env) : thrown;
  }
}

function eventsOf({ message }: z.output<typeof chatAnswer>): ModelEvent[] {
  if (message === undefined) return [];
  const { thinking = '', content, tool_calls } = message;
  return [
    ...(thinking === '' ? [] : [{ type: 'thinking', text: thinking } as const]),
    ...(content === '' ? [] : [{ type: 'text', text: content } as const]),
    ...(tool_calls ?? []).map(({ id = randomUUID(), function: { name, arguments: args } }) => ({
      type: 'call' as const,
      call: { id, tool: name, arguments: args ?? {} },
    })),
  ];
}

function toOllama(message: ModelMessage): object {
  switch (message.role) {
    case 'assistant':
      return {
        role: 'assistant',
        content: message.text,
        ...(message.calls.length === 0
          ? {}
          : {
              tool_calls: message.calls.map(({ tool, arguments: args }) => ({
                function: { name: tool, arguments: isObject(args) ? args : {} },
              })),
            }),
      };
    case 'tool':
      return { role: 'tool', content: message.text, tool_name: message.tool };
    case 'system':
    case 'user':
      return { role: message.role, content: message.text };
  }
}

/** Ollama adds the tag `latest` to a name without one. */
function isSame(name: string, wanted: string): boolean {
  return name === wanted || name === `${wanted}:latest`;
}
