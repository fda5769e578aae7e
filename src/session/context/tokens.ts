import type { ModelMessage, ModelTool } from '../model/model.ts';

/** Characters of a token: JSON and code have fewer than prose. */
const ASCII_CHARACTERS = 3.3;
const OTHER_TOKENS = 0.9;
/** Roles and separators around a message. */
const MESSAGE_TOKENS = 5;
const RATIO_LIMITS = { least: 0.5, most: 3 } as const;
/** A prompt this small says more about the template around it than about our estimate. */
const TELLING_TOKENS = 200;

/** About how many tokens a text has. No model server counts them beforehand. */
export function estimateTokens(text: string): number {
  // eslint-disable-next-line no-control-regex -- all of ASCII
  const others = text.replaceAll(/[\u0000-\u007f]+/g, '').length;
  return Math.ceil((text.length - others) / ASCII_CHARACTERS + others * OTHER_TOKENS);
}

export function messageTokens(message: ModelMessage): number {
  const calls = message.role === 'assistant' && message.calls.length > 0 ? JSON.stringify(message.calls) : '';
  return MESSAGE_TOKENS + estimateTokens(message.text) + estimateTokens(calls);
}

export function messagesTokens(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => sum + messageTokens(message), 0);
}

export function toolsTokens(tools: readonly ModelTool[]): number {
  return tools.reduce((sum, tool) => sum + estimateTokens(JSON.stringify(tool)), 0);
}

/** By what estimates are multiplied, once the model server has counted a prompt. */
export function correctedRatio(
  ratio: number,
  { estimated, counted }: { readonly estimated: number; readonly counted: number | null },
): number {
  if (counted === null || estimated < TELLING_TOKENS) return ratio;
  const seen = counted / estimated;
  // Some servers leave out the part of a prompt that they had in their cache.
  if (seen < RATIO_LIMITS.least) return ratio;
  return Math.min(RATIO_LIMITS.most, seen);
}
