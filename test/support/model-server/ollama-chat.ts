import { z } from 'zod';
import { callsOf, pieces, spokenText, type Fault, type Turn } from './model-script.ts';
import type { Failure, Reply, Wire } from './wire.ts';

const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(true),
  tools: z.array(z.unknown()).default([]),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content: z.string().default(''),
      tool_calls: z.array(z.unknown()).nullish(),
    }),
  ),
});

/** `POST /api/chat` of Ollama: one JSON document on each line. */
export const ollamaChat: Wire = {
  name: 'ollama-chat',
  path: /\/api\/chat$/,
  contentType: 'application/x-ndjson',
  turns: (body) => request.parse(body).messages.flatMap(turnOf),
  hasTools: (body) => request.parse(body).tools.length > 0,
  isStreamed: (body) => request.parse(body).stream,
  modelOf: (body) => request.parse(body).model,
  frames: (reply) => linesOf(reply).map((line) => `${JSON.stringify(line)}\n`),
  whole: (reply) => linesOf(reply).at(-1),
  failure,
};

function turnOf({ role, content }: z.output<typeof request>['messages'][number]): readonly Turn[] {
  return role === 'user' || role === 'assistant' ? [{ role, texts: [content] }] : [];
}

function linesOf({ step, model }: Reply): readonly object[] {
  const created_at = new Date().toISOString();
  const line = (message: object) => ({
    model,
    created_at,
    message: { role: 'assistant', content: '', ...message },
    done: false,
  });
  const calls = callsOf(step).map(({ tool, input }) => ({ function: { name: tool, arguments: input } }));
  return [
    ...pieces(step.thinking ?? '').map((thinking) => line({ thinking })),
    ...pieces(spokenText(step)).map((content) => line({ content })),
    ...(calls.length === 0 ? [] : [line({ tool_calls: calls })]),
    {
      ...line({}),
      done: true,
      done_reason: 'stop',
      total_duration: 1_000_000,
      prompt_eval_count: step.usage.input + step.usage.cached,
      eval_count: step.usage.output,
    },
  ];
}

function failure(fault: Fault): Failure {
  return { status: 500, body: { error: fault } };
}
