import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FleetError } from '../../src/domain/values/errors.ts';
import type { ModelEvent, ModelRequest } from '../../src/session/model/model.ts';
import { openModel } from '../../src/session/model/open-model.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { localFleet, type LocalFleet } from '../support/fleets/local-fleet.ts';
import { builtOllama } from './ollama-cache.ts';
import { startOllama, type Ollama } from './ollama.ts';

const never = new AbortController().signal;

describe.skipIf(builtOllama() === undefined)('a real Ollama', () => {
  let ollama: Ollama;
  let fleet: LocalFleet;
  beforeAll(async () => {
    ollama = await startOllama();
    fleet = localFleet();
  });
  afterAll(async () => {
    await ollama[Symbol.asyncDispose]();
    await fleet[Symbol.asyncDispose]();
  });

  const model = (name?: string) =>
    openModel({
      provider: 'ollama',
      url: ollama.url,
      model: name,
      api_key: undefined,
      api_key_env: undefined,
      think: true,
      silent_after_ms: 60_000,
    });

  async function answer(request: Partial<ModelRequest>, signal = never): Promise<ModelEvent[]> {
    const opened = model('tiny');
    await opened.check(never);
    const events: ModelEvent[] = [];
    const messages = [{ role: 'user', text: 'hello' }] as const;
    for await (const event of opened.answer(
      { messages, tools: [], window: 512, answer: 20, ...request },
      signal,
    ))
      events.push(event);
    return events;
  }

  it('has a version, a list of models, and what each can do', async () => {
    expect(await model('tiny').check(never)).toMatchObject({
      name: 'tiny:latest',
      tools: false,
      trained_window: 16_384,
      bytes_per_token: 2 * 4 * (16 + 16) * 2,
    });
    // Without a name, one that can call tools.
    expect(await model().check(never)).toMatchObject({ name: 'caller:latest', tools: true });
  });

  it('streams an answer in pieces and counts its tokens', async () => {
    const events = await answer({});
    expect(events.filter(({ type }) => type === 'text').length).toBeGreaterThan(1);
    const end = events.at(-1);
    expect(end).toMatchObject({ type: 'end', usage: { prompt: expect.any(Number) as number } });
    if (end?.type === 'end') expect(end.usage.answer).toBeLessThanOrEqual(20);
  });

  it('says that an answer was cut off at the limit of tokens', async () => {
    expect((await answer({ answer: 3 })).at(-1)).toMatchObject({ type: 'end', reason: 'length' });
  });

  it('really gets the window that it is asked for', async () => {
    const messages = [{ role: 'user', text: 'word '.repeat(300) }] as const;
    const counted = async (window: number): Promise<number> => {
      const end = (await answer({ messages, window, answer: 4 })).at(-1);
      return end?.type === 'end' ? (end.usage.prompt ?? 0) : 0;
    };
    const [small, large] = [await counted(256), await counted(2_048)];
    expect(small).toBeLessThanOrEqual(256);
    expect(large).toBeGreaterThan(1_000);
  });

  it('stops when nobody reads any more', async () => {
    const stop = new AbortController();
    const opened = model('tiny');
    await opened.check(never);
    const messages = [{ role: 'user', text: 'hello' }] as const;
    const reading = (async () => {
      const request = { messages, tools: [], window: 2_048, answer: 2_000 };
      for await (const event of opened.answer(request, stop.signal)) if (event.type === 'text') stop.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    // It has time for the next one.
    expect((await answer({ answer: 3 })).at(-1)).toMatchObject({ type: 'end' });
  });

  it('does not have a model that was never pulled, and says why it cannot be', async () => {
    const missing = await model('nope')
      .check(never)
      .catch((thrown: unknown) => thrown);
    expect(missing).toBeInstanceOf(FleetError);
    expect(missing).toMatchObject({
      details: { reason: 'MODEL_NOT_FOUND', models: expect.arrayContaining(['tiny:latest']) as string[] },
    });
    const pulling = (async () => {
      for await (const _progress of model('127.0.0.1:1/no/such').pull?.(never) ?? []);
    })();
    await expect(pulling).rejects.toMatchObject({ details: { reason: 'model_refused' } });
  });

  it('refuses tools for a model without them, in words', async () => {
    const tools = [{ name: 'look', description: 'Looks', parameters: { type: 'object' } }];
    await expect(answer({ tools })).rejects.toThrow('does not support tools');
  });

  it('answers fleet ask', async () => {
    const env = { ...fleet.env, OLLAMA_HOST: ollama.url };
    const { code, stdout, stderr } = await runFleet(
      ['ask', '--model', 'tiny', '--context', '1024', 'hello'],
      {
        env,
      },
    );
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('tiny:latest cannot call tools');
    expect(stdout.length).toBeGreaterThan(0);
  });
});
