import { readFileSync } from 'node:fs';
import { z } from 'zod';
import type { ModelAnswer } from './exchanges.ts';

export const RECORDED_FILE = new URL('./recordings/ollama.json', import.meta.url);

const recorded = z.record(
  z.string(),
  z.object({ status: z.int(), type: z.string(), documents: z.array(z.unknown()) }),
);

/** What a real Ollama answered, by the names of the exchanges. `npm run test:ollama` asks it again. */
export function recordedAnswers(): Readonly<Record<string, ModelAnswer>> {
  return recorded.parse(JSON.parse(readFileSync(RECORDED_FILE, 'utf8')));
}
