import { z } from 'zod';
import { callId, callsOf, pieces, spokenText, stepOfCall, type Step, type Turn } from './model-script.ts';
import { openaiFailure } from './openai-failure.ts';
import type { Reply, Wire } from './wire.ts';

const item = z.looseObject({
  type: z.string().default('message'),
  role: z.string().optional(),
  call_id: z.string().optional(),
  content: z
    .union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))])
    .nullish(),
});
const request = z.looseObject({
  model: z.string(),
  stream: z.boolean().default(false),
  tools: z.array(z.unknown()).default([]),
  input: z.union([z.string(), z.array(item)]),
});

/** `POST /v1/responses`, as Codex asks it. */
export const openaiResponses: Wire = {
  name: 'openai-responses',
  path: /\/responses$/,
  turns: (body) => {
    const { input } = request.parse(body);
    return typeof input === 'string' ? [{ role: 'user', texts: [input] }] : input.flatMap(turnOf);
  },
  hasTools: (body) => request.parse(body).tools.length > 0,
  isStreamed: (body) => request.parse(body).stream,
  modelOf: (body) => request.parse(body).model,
  frames: (reply) => eventsOf(reply).map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`),
  whole: (reply) => responseOf(reply, 'completed', itemsOf(reply)),
  failure: openaiFailure,
};

/** A message of the model and its calls are items of their own: the ids of the calls tell that they are of one step. */
function turnOf({ type, role, call_id, content }: z.output<typeof item>): readonly Turn[] {
  if (type.endsWith('_call')) return [{ role: 'assistant', texts: [], step: stepOfCall(call_id ?? '') }];
  if (type !== 'message' || (role !== 'user' && role !== 'assistant')) return [];
  const texts =
    typeof content === 'string'
      ? [content]
      : (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text]));
  return [{ role, texts }];
}

type Item = { readonly type: string; readonly id: string } & Record<string, unknown>;

function itemsOf({ step, index }: Reply): readonly Item[] {
  const text = spokenText(step);
  return [
    ...(step.thinking === undefined ? [] : [reasoningItem(step.thinking, index)]),
    ...(text === ''
      ? []
      : [
          {
            type: 'message',
            id: callId('msg_', index, 0),
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...callsOf(step).map(({ tool, input }, at) => ({
      id: callId('fc_', index, at),
      call_id: callId('call_', index, at),
      name: tool,
      status: 'completed',
      ...(typeof input === 'string'
        ? { type: 'custom_tool_call', input }
        : { type: 'function_call', arguments: JSON.stringify(input) }),
    })),
  ];
}

function reasoningItem(text: string, index: number): Item {
  return { type: 'reasoning', id: callId('rs_', index, 0), summary: [{ type: 'summary_text', text }] };
}

function eventsOf(reply: Reply): readonly ({ readonly type: string } & Record<string, unknown>)[] {
  const items = itemsOf(reply);
  return [
    { type: 'response.created', response: responseOf(reply, 'in_progress', []) },
    ...items.flatMap((each, output_index) => [
      { type: 'response.output_item.added', output_index, item: { ...each, ...opened(each) } },
      ...deltasOf(each, reply.step).map((event) => ({ ...event, item_id: each.id, output_index })),
      { type: 'response.output_item.done', output_index, item: each },
    ]),
    { type: 'response.completed', response: responseOf(reply, 'completed', items) },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

/** An item before anything of it was said. */
function opened({ type }: Item): Record<string, unknown> {
  switch (type) {
    case 'message':
      return { content: [], status: 'in_progress' };
    case 'reasoning':
      return { summary: [] };
    case 'function_call':
      return { arguments: '', status: 'in_progress' };
    default:
      return { input: '', status: 'in_progress' };
  }
}

function deltasOf(
  { type, ...rest }: Item,
  step: Step,
): readonly ({ readonly type: string } & Record<string, unknown>)[] {
  const streamed = (event: string, text: string, more: Record<string, unknown> = {}) =>
    pieces(text).map((delta) => ({ type: event, delta, ...more }));
  switch (type) {
    case 'message':
      return streamed('response.output_text.delta', spokenText(step), { content_index: 0 });
    case 'reasoning':
      return streamed('response.reasoning_summary_text.delta', step.thinking ?? '', { summary_index: 0 });
    case 'function_call':
      return streamed('response.function_call_arguments.delta', String(rest['arguments']));
    default:
      return streamed('response.custom_tool_call_input.delta', String(rest['input']));
  }
}

function responseOf(
  { model, index, step }: Reply,
  status: string,
  output: readonly Item[],
): Record<string, unknown> {
  const { input, output: said, cached } = step.usage;
  return {
    id: callId('resp_', index, 0),
    object: 'response',
    created_at: Math.floor(Date.now() / 1000),
    model,
    status,
    output,
    usage: {
      input_tokens: input + cached,
      input_tokens_details: { cached_tokens: cached },
      output_tokens: said,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: input + cached + said,
    },
  };
}
