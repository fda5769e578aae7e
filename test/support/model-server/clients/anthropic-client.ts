import { z } from 'zod';
import { TOOLS, type Client, type Said } from './client.ts';

const block = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
]);
const usage = z.object({
  input_tokens: z.number(),
  output_tokens: z.number(),
  cache_read_input_tokens: z.number(),
});
const event = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('message_start'),
    message: z.object({ id: z.string(), role: z.literal('assistant'), model: z.string(), usage }),
  }),
  z.object({ type: z.literal('content_block_start'), index: z.number(), content_block: block }),
  z.object({
    type: z.literal('content_block_delta'),
    index: z.number(),
    delta: z.discriminatedUnion('type', [
      z.object({ type: z.literal('text_delta'), text: z.string() }),
      z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
      z.object({ type: z.literal('signature_delta'), signature: z.string() }),
      z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
    ]),
  }),
  z.object({ type: z.literal('content_block_stop'), index: z.number() }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string() }),
    usage: z.object({ output_tokens: z.number() }),
  }),
  z.object({ type: z.literal('message_stop') }),
]);

export const anthropicClient: Client = {
  name: 'anthropic-messages',
  path: '/v1/messages?beta=true',
  whole: '/v1/messages',
  body: (turns, stream) => ({
    model: 'm',
    stream,
    tools: TOOLS,
    messages: turns.map((turn) => {
      if ('user' in turn) return { role: 'user', content: [{ type: 'text', text: turn.user }] };
      if ('result' in turn)
        return {
          role: 'user',
          content: [{ type: 'tool_result', tool_use_id: turn.of, content: turn.result }],
        };
      const { text, calls } = turn.said;
      const uses = calls.map((call) => ({ type: 'tool_use', ...call }));
      return { role: 'assistant', content: [...(text === '' ? [] : [{ type: 'text', text }]), ...uses] };
    }),
  }),
  read: (events) => {
    const blocks: z.output<typeof block>[] = [];
    const json: string[] = [];
    let input = 0;
    let end = { stop_reason: '', output: 0 };
    for (const each of z.array(event).parse(events)) {
      if (each.type === 'message_start') input = each.message.usage.input_tokens;
      if (each.type === 'message_delta') end = { ...each.delta, output: each.usage.output_tokens };
      if (each.type === 'content_block_start') blocks[each.index] = each.content_block;
      if (each.type !== 'content_block_delta') continue;
      const { delta, index } = each;
      const of = blocks[index];
      if (delta.type === 'text_delta' && of?.type === 'text') of.text += delta.text;
      if (delta.type === 'thinking_delta' && of?.type === 'thinking') of.thinking += delta.thinking;
      if (delta.type === 'input_json_delta') json[index] = (json[index] ?? '') + delta.partial_json;
    }
    const whole = blocks.map((each, at) =>
      each.type === 'tool_use' ? { ...each, input: z.unknown().parse(JSON.parse(json[at] ?? '')) } : each,
    );
    return saidOf(whole, [input, end.output], end.stop_reason);
  },
  readWhole: (answer) => {
    const message = z
      .object({ content: z.array(block), stop_reason: z.string(), usage, type: z.literal('message') })
      .parse(answer);
    const { input_tokens, output_tokens } = message.usage;
    return saidOf(message.content, [input_tokens, output_tokens], message.stop_reason);
  },
};

function saidOf(blocks: readonly z.output<typeof block>[], usage: Said['usage'], stop: string): Said {
  return {
    thinking: blocks.map((each) => (each.type === 'thinking' ? each.thinking : '')).join(''),
    text: blocks.map((each) => (each.type === 'text' ? each.text : '')).join(''),
    calls: blocks.flatMap((each) =>
      each.type === 'tool_use' ? [{ id: each.id, name: each.name, input: each.input }] : [],
    ),
    usage,
    stop: stop === 'tool_use' ? 'call' : 'end',
  };
}
