import { FleetError, quote } from '../values/errors.ts';

/** A place in a conversation: after this entry of the log, and after this fact. */
export interface ConversationPlace {
  readonly log: number;
  readonly fact: number;
}

export function conversationCursor({ log, fact }: ConversationPlace): string {
  return `${log}.${fact}`;
}

export function placeOf(cursor: string): ConversationPlace {
  const [, log, fact] = /^(\d{1,15})\.(\d{1,15})$/.exec(cursor) ?? [];
  if (log !== undefined && fact !== undefined) return { log: Number(log), fact: Number(fact) };
  throw new FleetError(
    'INVALID_INPUT',
    `${quote(cursor)} is not a cursor of a conversation. Use "older" or "newer" of an answer, or leave it out.`,
    { field: 'cursor' },
  );
}
