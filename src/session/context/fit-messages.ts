import type { ModelMessage } from '../model/model.ts';
import { cutResult } from './cut-result.ts';
import { messagesTokens, messageTokens } from './tokens.ts';

/** What is left of an old result of a tool. */
const SHORT_RESULT = 200;
/** Fewer than a token usually has, so that the share is kept. */
const CHARACTERS_PER_TOKEN = 2;

export type Fitted =
  | { readonly kind: 'fits'; readonly messages: readonly ModelMessage[]; readonly shortened: boolean }
  /** The first `old` messages have to become a summary. */
  | { readonly kind: 'summarise'; readonly old: number }
  /** Not even the newest exchange fits. */
  | { readonly kind: 'overflow' };

/** How messages come into a room of tokens: as they are, with short results of earlier tool calls, or summarised. The first
 *  `summaries` of them are summaries already. */
export function fitMessages(messages: readonly ModelMessage[], room: number, summaries = 0): Fitted {
  if (messagesTokens(messages) <= room) return { kind: 'fits', messages, shortened: false };
  const short = shortenResults(messages, room);
  if (messagesTokens(short) <= room) return { kind: 'fits', messages: short, shortened: true };
  const start = newestExchange(messages);
  const old = keepRecent(short, start, room / 2);
  if (old > summaries) return { kind: 'summarise', old };
  const smaller = shareRoom(short, room);
  if (messagesTokens(smaller) <= room) return { kind: 'fits', messages: smaller, shortened: true };
  return { kind: 'overflow' };
}

/** Several results of one round may not fit side by side: each gets an equal share. */
function shareRoom(messages: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  const isNew = (message: ModelMessage, at: number): boolean => at > newest && message.role === 'tool';
  const results = messages.filter(isNew).length;
  if (results === 0) return messages;
  const others = messagesTokens(messages.filter((message, at) => !isNew(message, at)));
  const share = Math.floor(((room - others) / results) * CHARACTERS_PER_TOKEN);
  if (share <= 0) return messages;
  return messages.map((message, at) =>
    isNew(message, at) ? { ...message, text: cutResult(message.text, share) } : message,
  );
}

/** Results of tools, from the oldest on, until the rest fits; those of the newest round stay whole. */
function shortenResults(messages: readonly ModelMessage[], room: number): readonly ModelMessage[] {
  const newest = messages.findLastIndex(({ role }) => role === 'assistant');
  const short = [...messages];
  let total = messagesTokens(messages);
  for (const [at, message] of messages.entries()) {
    if (total <= room || at > newest) break;
    if (message.role !== 'tool' || message.text.length <= SHORT_RESULT) continue;
    const text = `${message.text.slice(0, SHORT_RESULT)}… [the rest was left out to save space]`;
    const shorter = { ...message, text };
    total -= messageTokens(message) - messageTokens(shorter);
    short[at] = shorter;
  }
  return short;
}

/** Where the newest message of the person is. */
function newestExchange(messages: readonly ModelMessage[]): number {
  return Math.max(
    0,
    messages.findLastIndex(({ role }) => role === 'user'),
  );
}

/** How many messages to give up so that the rest has at most so many tokens; it begins with one of the person. */
function keepRecent(messages: readonly ModelMessage[], newest: number, room: number): number {
  let from = newest;
  for (let at = newest - 1; at >= 0; at--) {
    if (messagesTokens(messages.slice(at)) > room) break;
    if (messages[at]?.role === 'user') from = at;
  }
  return from;
}
