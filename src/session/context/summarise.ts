import { FleetError } from '../../domain/values/errors.ts';
import type { Model, ModelMessage } from '../model/model.ts';
import { estimateTokens } from './tokens.ts';

const PROMPT = `Summarise this conversation for yourself, so that you can go on with it. Keep what the user wants, decisions, names of agents, branches and files, results, and what is still to be done. Write at most 300 words.`;
const MESSAGE_CHARACTERS = 2_000;
const LEAST_TOKENS = 200;
/** Statuses by which a server refuses any request: a bad key, or too many requests. */
const REFUSES_ALL: ReadonlySet<unknown> = new Set([401, 403, 429]);

export interface SummaryRequest {
  readonly model: Pick<Model, 'answer'>;
  readonly messages: readonly ModelMessage[];
  readonly window: number;
  readonly answer: number;
  /** Tokens for messages, by our estimate of them. */
  readonly room: number;
}

/** What the model says of a part of the conversation. */
export async function summarise(
  { model, messages, window, answer, room }: SummaryRequest,
  signal: AbortSignal,
): Promise<string> {
  const request = {
    messages: [
      { role: 'system', text: PROMPT },
      // The end of it is what the conversation is about now.
      { role: 'user', text: endOf(transcript(messages), Math.max(LEAST_TOKENS, room)) },
    ],
    tools: [],
    window,
    answer,
  } as const;
  let text = '';
  for await (const event of model.answer(request, signal)) if (event.type === 'text') text += event.text;
  return text.trim();
}

/** True when the server would refuse the message itself as well: nothing is gained by going on without a summary. */
export function refusesEverything(thrown: unknown): boolean {
  if (!(thrown instanceof FleetError)) return false;
  const { reason, status } = thrown.details;
  return reason === 'OLLAMA_UNAVAILABLE' || (reason === 'model_refused' && REFUSES_ALL.has(status));
}

/** As much of the end of a text as has so many tokens. */
function endOf(text: string, tokens: number): string {
  let end = text;
  for (let size = estimateTokens(end); size > tokens; size = estimateTokens(end))
    end = end.slice(-Math.floor((end.length * tokens) / (size + 1)));
  return end;
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
