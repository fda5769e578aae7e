import {
  conversationCursor,
  placeOf,
  type ConversationPlace,
} from '../../domain/conversation/conversation-cursor.ts';
import type { ConversationEntry } from '../../domain/conversation/conversation-entry.ts';
import {
  conversationPage,
  type ConversationItem,
  type ConversationPage,
  type ConversationRequest,
} from '../../domain/conversation/conversation-page.ts';
import { CONVERSATION_FACTS, entryOfFact } from '../../domain/conversation/entry-of-fact.ts';
import { entryOfLog, mergeCall } from '../../domain/conversation/entry-of-log.ts';
import type { Fact } from '../../domain/fact.ts';
import type { DetailedLogRow } from '../../domain/task.ts';
import type { JournalReader, Span } from './journal-reader.ts';

const START: ConversationPlace = { log: 0, fact: 0 };

/** A page of an agent's conversation, from its journal; without one while nothing of it is written yet. */
export function readConversation(
  reader: JournalReader | undefined,
  { cursor, direction, limit }: ConversationRequest,
): ConversationPage {
  const given = cursor === undefined ? undefined : placeOf(cursor);
  const last = direction === 'older';
  // Read first: what is written meanwhile belongs to the next page.
  const end = endOf(reader);
  const from = given === undefined ? (last ? end : START) : within(given, end);
  const [after, upTo] = last ? [START, from] : [from, end];
  const part = { last, limit: limit + 1 };
  const facts = (span: Span): readonly Fact[] => reader?.factsWithin(span, CONVERSATION_FACTS) ?? [];
  const reading = {
    from,
    end,
    rows: inParts(
      { ...part, after: after.log, upTo: upTo.log },
      (span) => reader?.logWithin(span) ?? [],
      idOf,
    ),
    facts: inParts({ ...part, after: after.fact, upTo: upTo.fact }, facts, seqOf),
    before: facts({ after: 0, upTo: from.fact, last: true, limit: 1 })[0],
  };
  return conversationPage({ direction, limit }, reading, (item) => entryOf(reader, item));
}

/** Everything within a span, read in parts of its limit: entries that are not shown do not use up a page. */
function* inParts<Item>(
  span: Span,
  read: (span: Span) => readonly Item[],
  numberOf: (item: Item) => number,
): Generator<Item> {
  let { after, upTo } = span;
  for (;;) {
    const part = read({ ...span, after, upTo });
    yield* part;
    const end = part.at(-1);
    if (end === undefined || part.length < span.limit) return;
    if (span.last) upTo = numberOf(end) - 1;
    else after = numberOf(end);
  }
}

const idOf = ({ id }: DetailedLogRow): number => id;
const seqOf = ({ seq }: Fact): number => seq;

/** The cursor after everything that there is. */
export function conversationEnd(reader: JournalReader | undefined): string {
  return conversationCursor(endOf(reader));
}

function endOf(reader: JournalReader | undefined): ConversationPlace {
  return reader === undefined ? START : { log: reader.lastLogId(), fact: reader.state().seq };
}

/** A journal that was repaired may be shorter than one that a cursor is from. */
function within(place: ConversationPlace, end: ConversationPlace): ConversationPlace {
  return { log: Math.min(place.log, end.log), fact: Math.min(place.fact, end.fact) };
}

/** Each entry is whole: the end of a call has its input, and an answer its question. */
function entryOf(reader: JournalReader | undefined, item: ConversationItem): ConversationEntry | undefined {
  if ('fact' in item) return entryOfFact(item.fact, (id) => reader?.askedFor(id, item.fact.seq));
  const entry = entryOfLog(item.row);
  if (entry?.kind !== 'tool_call' || entry.status === 'in_progress') return entry;
  const row = reader?.openedCall(entry.id.slice('call-'.length), item.row.id);
  const opened = row === undefined ? undefined : entryOfLog(row);
  return opened?.kind === 'tool_call' ? mergeCall(opened, entry) : entry;
}
