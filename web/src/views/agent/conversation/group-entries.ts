import type { ConversationEntry } from './merge-entries.ts';

export type EntryOf<Kind extends ConversationEntry['kind']> = Extract<ConversationEntry, { kind: Kind }>;

interface GroupStamp {
  readonly id: string;
  readonly at: string;
  /** While these two are the same, so is the group. */
  readonly last: ConversationEntry;
  readonly size: number;
}

interface OutputGroup extends GroupStamp {
  readonly kind: 'output';
  /** Grows while the entries are grouped: a copy for each line would be too slow for thousands. */
  readonly lines: EntryOf<'output'>[];
}

/** Lines of output that follow each other are shown as one block, and so are the parts of a message. */
export type EntryGroup =
  | OutputGroup
  | (GroupStamp & {
      readonly kind: 'entry';
      readonly entry: Exclude<ConversationEntry, EntryOf<'output'>>;
    });

export function groupEntries(entries: readonly ConversationEntry[]): readonly EntryGroup[] {
  const groups: EntryGroup[] = [];
  for (const entry of entries) {
    const before = groups.at(-1);
    const joined = before === undefined ? undefined : join(before, entry);
    if (joined !== undefined) groups[groups.length - 1] = joined;
    else groups.push(groupOf(entry));
  }
  return groups;
}

function groupOf(entry: ConversationEntry): EntryGroup {
  const stamp = { id: entry.id, at: entry.at, last: entry, size: 1 };
  return entry.kind === 'output'
    ? { ...stamp, kind: 'output', lines: [entry] }
    : { ...stamp, kind: 'entry', entry };
}

/** Undefined for an entry that begins something else. */
function join(before: EntryGroup, entry: ConversationEntry): EntryGroup | undefined {
  const stamp = { last: entry, size: before.size + 1 };
  if (before.kind === 'output') {
    if (entry.kind !== 'output') return undefined;
    before.lines.push(entry);
    return { ...before, ...stamp };
  }
  const { entry: first } = before;
  if (entry.kind !== 'message' || !entry.continues) return undefined;
  if (first.kind !== 'message' || first.from !== entry.from) return undefined;
  return { ...before, ...stamp, entry: { ...first, text: first.text + entry.text } };
}
