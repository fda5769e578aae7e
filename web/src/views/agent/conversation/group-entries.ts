import type { ConversationEntry } from './merge-entries.ts';

export type EntryOf<Kind extends ConversationEntry['kind']> = Extract<ConversationEntry, { kind: Kind }>;

/** Lines of output that follow each other are shown as one block. */
export type EntryGroup =
  | {
      readonly kind: 'output';
      readonly id: string;
      readonly at: string;
      readonly lines: readonly EntryOf<'output'>[];
    }
  | {
      readonly kind: 'entry';
      readonly id: string;
      readonly at: string;
      readonly entry: Exclude<ConversationEntry, EntryOf<'output'>>;
    };

export function groupEntries(entries: readonly ConversationEntry[]): readonly EntryGroup[] {
  const groups: EntryGroup[] = [];
  for (const entry of entries) {
    const last = groups.at(-1);
    if (entry.kind !== 'output') groups.push({ kind: 'entry', id: entry.id, at: entry.at, entry });
    else if (last?.kind === 'output') groups[groups.length - 1] = { ...last, lines: [...last.lines, entry] };
    else groups.push({ kind: 'output', id: entry.id, at: entry.at, lines: [entry] });
  }
  return groups;
}
