import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { askModel, fieldsOf, modelExchanges, type ModelAnswer } from '../support/model-server/exchanges.ts';
import { RECORDED_FILE, recordedAnswers } from '../support/model-server/recorded.ts';
import { builtOllama } from './ollama-cache.ts';
import { startOllama, type Ollama } from './ollama.ts';

/** `FLEET_RECORD=1 npm run test:ollama` records the answers anew: everyday tests compare the scripted model with them. */
const recording = process.env['FLEET_RECORD'] === '1';

describe.skipIf(builtOllama() === undefined)('a real Ollama answers as it was recorded', () => {
  let ollama: Ollama;
  const answers: Record<string, ModelAnswer> = {};
  beforeAll(async () => {
    ollama = await startOllama();
  });
  afterAll(async () => {
    await ollama[Symbol.asyncDispose]();
    if (recording) writeFileSync(RECORDED_FILE, `${JSON.stringify(answers, null, 2)}\n`);
  });

  it.each(modelExchanges({ caller: 'caller', talker: 'tiny' }))('$name', async (exchange) => {
    const answer = await askModel(ollama.url, exchange);
    const documents = withoutPlaces(answer.documents);
    answers[exchange.name] = { ...answer, documents };
    if (recording) return;
    const recorded = recordedAnswers()[exchange.name];
    expect({ status: answer.status, type: answer.type }).toEqual({
      status: recorded?.status,
      type: recorded?.type,
    });
    expect([...fieldsOf(documents)].toSorted()).toEqual([...fieldsOf(recorded?.documents ?? [])].toSorted());
  });
});

/** A few lines of each stream are enough, and where this machine keeps its models is nobody's business. */
function withoutPlaces(documents: readonly unknown[]): readonly unknown[] {
  const some = documents.length > 4 ? [...documents.slice(0, 2), ...documents.slice(-2)] : documents;
  const text = JSON.stringify(some).replaceAll(/\/[^" ]*\/blobs\//g, '/models/blobs/');
  return (JSON.parse(text) as unknown[]).map((document) =>
    typeof document === 'object' && document !== null && 'tensors' in document
      ? { ...document, tensors: [] }
      : document,
  );
}
