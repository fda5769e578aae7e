import type { Answer } from '../../../../../src/operations/table.ts';

export type ConversationEntry = Answer<'show_agent_conversation'>['entries'][number];

/** An entry that came again has changed: the later one counts, in the place of the first. */
export function mergeEntries(
  known: readonly ConversationEntry[],
  more: readonly ConversationEntry[],
): readonly ConversationEntry[] {
  const byId = new Map(known.map((entry) => [entry.id, entry]));
  for (const entry of more) {
    const before = byId.get(entry.id);
    if (before === undefined || before.updated_at <= entry.updated_at) byId.set(entry.id, entry);
  }
  return [...byId.values()].toSorted((one, other) => one.at.localeCompare(other.at));
}
