import type { Fact } from '../fact.ts';
import type { DetailedLogRow } from '../task.ts';
import { conversationCursor, type ConversationPlace } from './conversation-cursor.ts';
import type { ConversationEntry } from './conversation-entry.ts';
import { CONVERSATION_LIMITS } from './conversation-limits.ts';

export const CONVERSATION_DIRECTIONS = ['older', 'newer'] as const;
export type ConversationDirection = (typeof CONVERSATION_DIRECTIONS)[number];

export interface ConversationRequest {
  /** Undefined for the newest entries, or with `newer` for the first ones. */
  readonly cursor: string | undefined;
  readonly direction: ConversationDirection;
  readonly limit: number;
}

export interface ConversationPage {
  /** Oldest first. */
  readonly entries: readonly ConversationEntry[];
  /** Null when there is nothing older. */
  readonly older: string | null;
  readonly newer: string;
  /** True when there is more after these entries already. */
  readonly has_newer: boolean;
}

export type ConversationItem = { readonly row: DetailedLogRow } | { readonly fact: Fact };

/** What there is on one side of a place, in the order of reading away from the place. Only as much is read as is taken. */
export interface ConversationReading {
  readonly from: ConversationPlace;
  /** The newest that there is. */
  readonly end: ConversationPlace;
  readonly rows: Iterable<DetailedLogRow>;
  readonly facts: Iterable<Fact>;
  /** For newer entries: the fact that is just before the place. */
  readonly before: Fact | undefined;
}

/** A page of a conversation, from the log and the facts beside it, by their times. */
export function conversationPage(
  { direction, limit }: Pick<ConversationRequest, 'direction' | 'limit'>,
  reading: ConversationReading,
  entryOf: (item: ConversationItem) => ConversationEntry | undefined,
): ConversationPage {
  const isNewer = direction === 'newer';
  const rows = new Upcoming(reading.rows);
  const facts = new Upcoming(reading.facts);
  const taken: ConversationEntry[] = [];
  let size = 0;
  let { log, fact } = reading.from;
  let { before } = reading;
  for (;;) {
    const next = nextItem(rows.at(0), facts.at(0), { isNewer, before: isNewer ? before : facts.at(1) });
    if (next === undefined) break;
    const entry = entryOf(next);
    if (entry !== undefined) {
      size += JSON.stringify(entry).length;
      if (taken.length === limit || (taken.length > 0 && size > CONVERSATION_LIMITS.answer)) break;
      taken.push(entry);
    }
    if ('row' in next) {
      log = isNewer ? next.row.id : next.row.id - 1;
      rows.take();
    } else {
      fact = isNewer ? next.fact.seq : next.fact.seq - 1;
      before = facts.take();
    }
  }
  const hasRow = rows.at(0) !== undefined;
  const hasFact = facts.at(0) !== undefined;
  const rest = hasRow || hasFact;
  const entries = mergeSame(isNewer ? taken : taken.toReversed());
  const { from, end } = reading;
  if (!isNewer) {
    const older = rest ? conversationCursor({ log, fact }) : null;
    return { entries, older, newer: conversationCursor(from), has_newer: isBefore(from, end) };
  }
  // All that was looked at and is not a part of the conversation is behind the cursor.
  const to = { log: hasRow ? log : end.log, fact: hasFact ? fact : end.fact };
  const older = from.log === 0 && from.fact === 0 ? null : conversationCursor(from);
  return { entries, older, newer: conversationCursor(to), has_newer: rest };
}

/** The items that come next, read when they are looked at. */
class Upcoming<Item> {
  readonly #items: Iterator<Item>;
  readonly #seen: Item[] = [];

  constructor(items: Iterable<Item>) {
    this.#items = items[Symbol.iterator]();
  }

  at(index: number): Item | undefined {
    while (this.#seen.length <= index) {
      const next = this.#items.next();
      if (next.done === true) return undefined;
      this.#seen.push(next.value);
    }
    return this.#seen[index];
  }

  take(): Item | undefined {
    return this.#seen.shift();
  }
}

/** The item that is next to the place. At the same time a task begins first, unless another fact is before it, and
 *  other facts come after the log. */
function nextItem(
  row: DetailedLogRow | undefined,
  fact: Fact | undefined,
  { isNewer, before }: { readonly isNewer: boolean; readonly before: Fact | undefined },
): ConversationItem | undefined {
  if (row === undefined) return fact === undefined ? undefined : { fact };
  if (fact === undefined) return { row };
  const isFirst = fact.body.kind === 'task.started' && before?.at !== fact.at;
  const rowIsBefore = row.timestamp < fact.at || (row.timestamp === fact.at && !isFirst);
  return rowIsBefore === isNewer ? { row } : { fact };
}

/** Of entries with the same id the last counts, at the place of the first. A task is not shown twice. */
function mergeSame(all: readonly ConversationEntry[]): readonly ConversationEntry[] {
  const tasks = new Set(all.flatMap((entry) => (entry.kind === 'task' ? [entry.text.trim()] : [])));
  const merged = new Map<string, ConversationEntry>();
  for (const entry of all) {
    if (entry.kind === 'message' && entry.from === 'user' && tasks.has(entry.text.trim())) continue;
    merged.set(entry.id, entry);
  }
  return [...merged.values()];
}

function isBefore(from: ConversationPlace, end: ConversationPlace): boolean {
  return from.log < end.log || from.fact < end.fact;
}
