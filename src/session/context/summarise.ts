import type { Model, ModelMessage } from '../model/model.ts';

const PROMPT = `Summarise this conversation for yourself, so that you can go on with it. Keep what the user wants, decisions, names of agents, branches and files, results, and what is still to be done. Write at most 300 words.`;
const MESSAGE_CHARACTERS = 2_000;
const CHARACTERS_PER_TOKEN = 3;
const OWN_TOKENS = 200;

export interface SummaryRequest {
  readonly model: Pick<Model, 'answer'>;
  readonly messages: readonly ModelMessage[];
  readonly window: number;
  readonly answer: number;
}

/** What the model says of a part of the conversation. */
export async function summarise(
  { model, messages, window, answer }: SummaryRequest,
  signal: AbortSignal,
): Promise<string> {
  const room = Math.max(500, (window - answer - OWN_TOKENS) * CHARACTERS_PER_TOKEN);
  const request = {
    messages: [
      { role: 'system', text: PROMPT },
      // The end of it is what the conversation is about now.
      { role: 'user', text: transcript(messages).slice(-room) },
    ],
    tools: [],
    window,
    answer,
  } as const;
  let text = '';
  for await (const event of model.answer(request, signal)) if (event.type === 'text') text += event.text;
  return text.trim();
}

function transcript(messages: readonly ModelMessage[]): string {
  return messages
    .map((message) => {
      const calls =
        message.role === 'assistant'
          ? message.calls.map(({ tool, arguments: args }) => `\n[calls ${tool} ${JSON.stringify(args)}]`)
          : [];
      const who = message.role === 'tool' ? `result of ${message.tool}` : message.role;
      return `${who}: ${(message.text + calls.join('')).slice(0, MESSAGE_CHARACTERS)}`;
    })
    .join('\n\n');
}
