import type { Fact } from '../fact.ts';
import { EMPTY_STATE, fold } from '../state.ts';
import { deriveStatus, type AgentStatus } from '../status.ts';
import { FleetError, quote } from '../values/errors.ts';

/** A fact, and the status that it led to. */
export interface TimelineEntry {
  readonly fact: Fact;
  readonly status: AgentStatus;
  readonly status_reason: string;
  readonly needs_attention: boolean;
}

export interface TimelineRequest {
  /** The number of a fact; undefined for the newest, or with `newer` for the first ones. */
  readonly cursor: string | undefined;
  readonly direction: 'older' | 'newer';
  readonly limit: number;
}

export interface TimelinePage {
  /** Oldest first. */
  readonly entries: readonly TimelineEntry[];
  readonly older: string | null;
  readonly newer: string;
  readonly has_newer: boolean;
}

/** A page of an agent's facts. A cursor stands after the fact of its number. */
export function timelinePage(
  facts: readonly Fact[],
  { cursor, direction, limit }: TimelineRequest,
): TimelinePage {
  const place = cursor === undefined ? undefined : placeOf(cursor);
  const last = facts.at(-1)?.seq ?? 0;
  const isOlder = direction === 'older';
  const from = Math.min(place ?? (isOlder ? last : 0), last);
  const shown = isOlder
    ? facts.filter(({ seq }) => seq <= from).slice(-limit)
    : facts.filter(({ seq }) => seq > from).slice(0, limit);
  const before = (shown[0]?.seq ?? from + 1) - 1;
  const after = isOlder ? from : (shown.at(-1)?.seq ?? from);
  const hasOlder = facts.some(({ seq }) => seq <= before);
  return {
    entries: withStatus(facts, new Set(shown)),
    older: hasOlder ? String(before) : null,
    newer: String(after),
    has_newer: after < last,
  };
}

function withStatus(facts: readonly Fact[], shown: ReadonlySet<Fact>): readonly TimelineEntry[] {
  const entries: TimelineEntry[] = [];
  let state = EMPTY_STATE;
  for (const fact of facts) {
    state = fold(state, fact);
    if (!shown.has(fact)) continue;
    // At this moment the fact itself is the last sign of life.
    const then = { at: Date.parse(fact.at), awake_ms: fact.awake_ms, boot: fact.boot };
    const { status, status_reason, needs_attention } = deriveStatus(state, { progress: then }, then);
    entries.push({ fact, status, status_reason, needs_attention });
  }
  return entries;
}

function placeOf(cursor: string): number {
  if (/^\d{1,15}$/.test(cursor)) return Number(cursor);
  throw new FleetError(
    'INVALID_INPUT',
    `${quote(cursor)} is not a cursor of a timeline. Use "older" or "newer" of an answer, or leave it out.`,
    { field: 'cursor' },
  );
}
