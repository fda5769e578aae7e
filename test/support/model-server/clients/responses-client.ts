import { z } from 'zod';
import { TOOLS, type Client, type Said } from './client.ts';

const item = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message'), id: z.string(), content: z.array(z.object({ text: z.string() })) }),
  z.object({
    type: z.literal('reasoning'),
    id: z.string(),
    summary: z.array(z.object({ text: z.string() })),
  }),
  z.object({
    type: z.literal('function_call'),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
  }),
  z.object({
    type: z.literal('custom_tool_call'),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    input: z.string(),
  }),
]);
type Item = z.output<typeof item>;
const response = z.object({
  id: z.string(),
  object: z.literal('response'),
  status: z.string(),
  output: z.array(item),
  usage: z.object({ input_tokens: z.number(), output_tokens: z.number() }),
});
const event = z.object({
  type: z.string(),
  sequence_number: z.number(),
  item_id: z.string().optional(),
  delta: z.string().optional(),
  item: item.optional(),
  response: response.optional(),
});

export const responsesClient: Client = {
  name: 'openai-responses',
  path: '/v1/responses',
  whole: '/v1/responses',
  body: (turns, stream) => ({
    model: 'm',
    stream,
    tools: TOOLS,
    input: turns.flatMap((turn): Record<string, unknown>[] => {
      if ('user' in turn)
        return [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: turn.user }] }];
      if ('result' in turn) return [{ type: 'function_call_output', call_id: turn.of, output: turn.result }];
      const { text, calls } = turn.said;
      const message = { type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] };
      return [
        ...(text === '' ? [] : [message]),
        ...calls.map(({ id, name }) => ({ type: 'function_call', call_id: id, name, arguments: '{}' })),
      ];
    }),
  }),
  /** From the items that were told one by one, each put together from its pieces. */
  read: (events) => {
    const all = z.array(event).parse(events);
    const items = all.flatMap((each) => {
      if (each.type !== 'response.output_item.done' || each.item === undefined) return [];
      const { item: done } = each;
      const text = all.map(({ item_id, delta = '' }) => (item_id === done.id ? delta : '')).join('');
      if (text !== contentOf(done)) throw new Error(`the pieces of ${done.id} are not what it is in the end`);
      return [done];
    });
    const last = all.at(-1);
    if (last?.type !== 'response.completed' || last.response === undefined) throw new Error('it has no end');
    return saidOf(items, last.response);
  },
  readWhole: (answer) => {
    const whole = response.parse(answer);
    return saidOf(whole.output, whole);
  },
};

function contentOf(item: Item): string {
  switch (item.type) {
    case 'message':
      return item.content.map(({ text }) => text).join('');
    case 'reasoning':
      return item.summary.map(({ text }) => text).join('');
    case 'function_call':
      return item.arguments;
    case 'custom_tool_call':
      return item.input;
  }
}

function saidOf(items: readonly Item[], { usage }: z.output<typeof response>): Said {
  const texts = (type: Item['type']) => items.filter((each) => each.type === type).map(contentOf);
  const calls = items.flatMap((each) => {
    if (each.type === 'message' || each.type === 'reasoning') return [];
    const input: unknown = each.type === 'custom_tool_call' ? each.input : JSON.parse(each.arguments);
    return [{ id: each.call_id, name: each.name, input }];
  });
  return {
    thinking: texts('reasoning').join(''),
    text: texts('message').join(''),
    calls,
    usage: [usage.input_tokens, usage.output_tokens],
    stop: calls.length > 0 ? 'call' : 'end',
  };
}
