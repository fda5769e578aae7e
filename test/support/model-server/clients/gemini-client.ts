import { z } from 'zod';
import { TOOLS, type Client, type Said } from './client.ts';

const part = z.object({
  text: z.string().default(''),
  thought: z.boolean().default(false),
  functionCall: z.object({ id: z.string(), name: z.string(), args: z.unknown() }).optional(),
});
const answer = z.object({
  candidates: z.tuple([
    z.object({
      content: z.object({ role: z.literal('model'), parts: z.array(part) }),
      finishReason: z.string().optional(),
    }),
  ]),
  usageMetadata: z.object({ promptTokenCount: z.number(), candidatesTokenCount: z.number() }),
});

export const geminiClient: Client = {
  name: 'gemini-generate',
  path: '/v1beta/models/m:streamGenerateContent?alt=sse',
  whole: '/v1beta/models/m:generateContent',
  body: (turns) => ({
    tools: [{ functionDeclarations: TOOLS }],
    contents: turns.map((turn) => {
      if ('user' in turn) return { role: 'user', parts: [{ text: turn.user }] };
      if ('result' in turn) {
        return {
          role: 'user',
          parts: [{ functionResponse: { id: turn.of, response: { output: turn.result } } }],
        };
      }
      const { text, calls } = turn.said;
      const uses = calls.map(({ id, name, input }) => ({ functionCall: { id, name, args: input } }));
      return { role: 'model', parts: [...(text === '' ? [] : [{ text }]), ...uses] };
    }),
  }),
  read: (events) => saidOf(z.array(answer).parse(events)),
  readWhole: (given) => saidOf([answer.parse(given)]),
};

function saidOf(answers: readonly z.output<typeof answer>[]): Said {
  const parts = answers.flatMap(({ candidates }) => candidates[0].content.parts);
  const last = answers.at(-1);
  if (last?.candidates[0].finishReason !== 'STOP') throw new Error('it has no end');
  const texts = (wanted: boolean) =>
    parts.map(({ text, thought }) => (thought === wanted ? text : '')).join('');
  const calls = parts.flatMap(({ functionCall: call }) =>
    call === undefined ? [] : [{ id: call.id, name: call.name, input: call.args }],
  );
  const { promptTokenCount, candidatesTokenCount } = last.usageMetadata;
  return {
    thinking: texts(true),
    text: texts(false),
    calls,
    usage: [promptTokenCount, candidatesTokenCount],
    stop: calls.length > 0 ? 'call' : 'end',
  };
}
