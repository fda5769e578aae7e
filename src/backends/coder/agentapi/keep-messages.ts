import { cut } from '../../../domain/values/text.ts';
import type { MirrorJournal } from '../model/mirror-journal.ts';
import type { Message } from './agentapi.ts';

/** Up to where messages are in the log. */
export interface Kept {
  /** When the first message of a user came: AgentAPI counts from the beginning when it is restarted. */
  readonly began: string;
  /** The newest message, and its entry. */
  readonly id: number;
  readonly row: number;
}

export const NOTHING_KEPT: Kept = { began: '', id: -1, row: 0 };

/** Characters of one entry, as everywhere. */
const ENTRY_LIMIT = 16_384;

/** Messages as entries of the log. The newest one may have grown since it was written. */
export function keepMessages(journal: MirrorJournal, messages: readonly Message[], before: Kept): Kept {
  const began = messages.find(({ role }) => role === 'user')?.time ?? '';
  let kept =
    before.began === '' || before.began === began ? { ...before, began } : { ...NOTHING_KEPT, began };
  for (const { id, role, content, time } of messages) {
    const message = cut(screenText(content), ENTRY_LIMIT);
    if (id === kept.id) journal.changeLog(kept.row, message);
    if (id <= kept.id) continue;
    const type = role === 'user' ? 'input' : 'output';
    const at = new Date(time).toISOString();
    kept = { ...kept, id, row: journal.addLog({ at, level: 'INFO', type, message }) };
  }
  return kept;
}

/** A screen is padded with blanks to its width. */
export function screenText(screen: string): string {
  return screen
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n')
    .trim();
}
