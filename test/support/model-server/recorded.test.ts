import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askModel, fieldsOf, modelExchanges } from './exchanges.ts';
import { startModelServer, type ModelServer } from './model-server.ts';
import { recordedAnswers } from './recorded.ts';

/** OpenAI sends these, and an Ollama with its API does not. */
const OF_OPENAI = ['.usage.prompt_tokens_details.cached_tokens: number'];

describe('the scripted model, beside what a real Ollama answered', () => {
  let server: ModelServer;
  beforeAll(async () => {
    server = await startModelServer();
  });
  afterAll(() => server[Symbol.asyncDispose]());

  const recorded = recordedAnswers();
  it.each(modelExchanges({ caller: 'scripted', talker: 'talker' }))('$name', async (exchange) => {
    const real = recorded[exchange.name];
    const scripted = await askModel(server.url, exchange);
    expect({ status: scripted.status, type: scripted.type }).toEqual({
      status: real?.status,
      type: real?.type,
    });
    const known = fieldsOf(real?.documents ?? []);
    const ours = [...fieldsOf(scripted.documents)].filter((field) => !OF_OPENAI.includes(field));
    expect(ours.filter((field) => !known.has(field))).toEqual([]);
    expect(ours.length).toBeGreaterThan(0);
  });
});
