import type { Change } from '../../../domain/changes.ts';
import type { Journal } from '../../../runner/journal/journal.ts';
import { object, type Fields } from '../../../runner/api/shapes.ts';

const FACTS_AT_ONCE = 500;
const LOG_AT_ONCE = 1_000;

/** What the fleet has received already. */
interface Heard {
  readonly seq: number;
  /** Null when the log is not wanted. */
  readonly log: number | null;
  readonly fields_at: string | null;
}

/** All that happened since the fleet last received news, as much as fits into one answer. */
export function newsOf(journal: Journal, fields: Fields, checkpoints: readonly Change[]): object {
  const heard = heardOf(fields);
  const { seq } = journal.state();
  const listed = journal.listed();
  const facts = journal.factsAfter(heard.seq).slice(0, FACTS_AT_ONCE);
  const log = heard.log === null ? null : journal.logAfter(heard.log, LOG_AT_ONCE);
  const told = facts.at(-1)?.seq ?? heard.seq;
  return {
    seq: Math.min(seq, facts.length < FACTS_AT_ONCE ? seq : told),
    facts,
    more: facts.length === FACTS_AT_ONCE || log?.rows.length === LOG_AT_ONCE,
    // One may have been made after the fleet has received the newest fact.
    checkpoints: checkpoints.filter((each) => each.seq >= heard.seq),
    progress: journal.progress() ?? null,
    git: journal.git(),
    listed,
    fields: listed.changed_at === heard.fields_at ? null : journal.fields(),
    log,
  };
}

function heardOf(fields: Fields): Heard {
  const heard = object(fields['heard'] ?? {}, 'heard');
  const { seq, log, fields_at } = heard;
  return {
    seq: typeof seq === 'number' ? seq : 0,
    log: typeof log === 'number' ? log : null,
    fields_at: typeof fields_at === 'string' ? fields_at : null,
  };
}
