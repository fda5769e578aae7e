import { z } from 'zod';
import { callId, callsOf, pieces, spokenText, stepOfCall, type Step, type Turn } from './model-script.ts';
import { openaiFailure } from './openai-failure.ts';
import type { Reply, Wire } from './wire.ts';

const content = z
  .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
  .nullish();
const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.unknown()).default([]),
  messages: z.array(
    z.looseObject({
      role: z.string(),
      content,
      tool_calls: z.array(z.looseObject({ id: z.string() })).nullish(),
    }),
  ),
});

/** `POST /v1/chat/completions`. */
export const openaiChat: Wire = {
  name: 'openai-chat',
  path: /\/chat\/completions$/,
  turns: (body) => request.parse(body).messages.flatMap(turnOf),
  hasTools: (body) => request.parse(body).tools.length > 0,
  isStreamed: (body) => request.parse(body).stream,
  modelOf: (body) => request.parse(body).model,
  frames: (reply) => [
    ...chunksOf(reply).map((data) => `data: ${JSON.stringify(data)}\n\n`),
    'data: [DONE]\n\n',
  ],
  whole: (reply) => ({
    ...envelope(reply, 'chat.completion'),
    choices: [
      {
        index: 0,
        finish_reason: finishReason(reply.step),
        message: {
          role: 'assistant',
          content: spokenText(reply.step) || null,
          ...reasoning(reply.step),
          tool_calls: toolCalls(reply),
        },
      },
    ],
    usage: usageOf(reply.step),
  }),
  failure: openaiFailure,
};

function turnOf({
  role,
  content,
  tool_calls,
}: z.output<typeof request>['messages'][number]): readonly Turn[] {
  if (role !== 'user' && role !== 'assistant') return [];
  const texts =
    typeof content === 'string'
      ? [content]
      : (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
  return [
    {
      role,
      texts,
      step: (tool_calls ?? []).map(({ id }) => stepOfCall(id)).find((step) => step !== undefined),
    },
  ];
}

function chunksOf(reply: Reply): readonly Record<string, unknown>[] {
  const { step } = reply;
  const base = envelope(reply, 'chat.completion.chunk');
  const chunk = (delta: Record<string, unknown>, finish_reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, finish_reason }],
  });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...pieces(step.thinking ?? '').map((piece) => chunk({ reasoning_content: piece })),
    ...pieces(spokenText(step)).map((piece) => chunk({ content: piece })),
    ...toolCalls(reply).flatMap((call) => [
      chunk({ tool_calls: [{ ...call, function: { name: call.function.name, arguments: '' } }] }),
      ...pieces(call.function.arguments).map((piece) =>
        chunk({ tool_calls: [{ index: call.index, function: { arguments: piece } }] }),
      ),
    ]),
    chunk({}, finishReason(step)),
    { ...base, choices: [], usage: usageOf(step) },
  ];
}

function toolCalls({ step, index }: Reply) {
  return callsOf(step).map(({ tool, input }, at) => ({
    index: at,
    id: callId('call_', index, at),
    type: 'function',
    function: { name: tool, arguments: typeof input === 'string' ? input : JSON.stringify(input) },
  }));
}

function envelope({ model, index }: Reply, object: string): Record<string, unknown> {
  return { id: callId('chatcmpl-', index, 0), object, created: Math.floor(Date.now() / 1000), model };
}

function reasoning({ thinking }: Step): Record<string, unknown> {
  return thinking === undefined ? {} : { reasoning_content: thinking };
}

function finishReason(step: Step): string {
  return callsOf(step).length > 0 ? 'tool_calls' : 'stop';
}

function usageOf({ usage: { input, output, cached } }: Step) {
  return {
    prompt_tokens: input + cached,
    completion_tokens: output,
    total_tokens: input + cached + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
