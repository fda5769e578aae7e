import { z } from 'zod';
import { TOOLS, type Client, type Said } from './client.ts';

const usage = z.object({
  prompt_tokens: z.number(),
  completion_tokens: z.number(),
  total_tokens: z.number(),
});
const call = z.object({
  id: z.string(),
  type: z.literal('function'),
  function: z.object({ name: z.string(), arguments: z.string() }),
});
const chunk = z.object({
  id: z.string(),
  object: z.literal('chat.completion.chunk'),
  choices: z.array(
    z.object({
      delta: z.object({
        content: z.string().default(''),
        reasoning_content: z.string().default(''),
        tool_calls: z
          .array(
            z.object({
              index: z.number(),
              id: z.string().optional(),
              function: z.object({ name: z.string().optional(), arguments: z.string() }),
            }),
          )
          .default([]),
      }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: usage.optional(),
});
const answer = z.object({
  object: z.literal('chat.completion'),
  usage,
  choices: z.tuple([
    z.object({
      finish_reason: z.string(),
      message: z.object({
        content: z.string().nullable(),
        reasoning_content: z.string().default(''),
        tool_calls: z.array(call),
      }),
    }),
  ]),
});

export const chatClient: Client = {
  name: 'openai-chat',
  path: '/v1/chat/completions',
  whole: '/v1/chat/completions',
  body: (turns, stream) => ({
    model: 'm',
    stream,
    tools: TOOLS,
    messages: turns.map((turn) => {
      if ('user' in turn) return { role: 'user', content: turn.user };
      if ('result' in turn) return { role: 'tool', tool_call_id: turn.of, content: turn.result };
      const { text, calls } = turn.said;
      const tool_calls = calls.map(({ id, name }) => ({ id, type: 'function', function: { name } }));
      return { role: 'assistant', content: text === '' ? null : text, tool_calls };
    }),
  }),
  read: (events) => {
    const chunks = z.array(chunk).parse(events);
    const choices = chunks.flatMap((each) => each.choices);
    const deltas = choices.map(({ delta }) => delta);
    const calls: { id: string; name: string; input: string }[] = [];
    for (const each of deltas.flatMap(({ tool_calls }) => tool_calls)) {
      const known = (calls[each.index] ??= { id: each.id ?? '', name: each.function.name ?? '', input: '' });
      known.input += each.function.arguments;
    }
    return {
      thinking: deltas.map(({ reasoning_content }) => reasoning_content).join(''),
      text: deltas.map(({ content }) => content).join(''),
      calls: calls.map((each) => ({ ...each, input: z.unknown().parse(JSON.parse(each.input)) })),
      ...endOf(choices.at(-1)?.finish_reason, chunks.at(-1)?.usage),
    };
  },
  readWhole: (given) => {
    const { choices, usage } = answer.parse(given);
    const { message, finish_reason } = choices[0];
    return {
      thinking: message.reasoning_content,
      text: message.content ?? '',
      calls: message.tool_calls.map(({ id, function: { name, arguments: input } }) => ({
        id,
        name,
        input: z.unknown().parse(JSON.parse(input)),
      })),
      ...endOf(finish_reason, usage),
    };
  },
};

function endOf(
  reason: string | null | undefined,
  given: z.output<typeof usage> | undefined,
): Pick<Said, 'usage' | 'stop'> {
  return {
    usage: [given?.prompt_tokens ?? -1, given?.completion_tokens ?? -1],
    stop: reason === 'tool_calls' ? 'call' : 'end',
  };
}
