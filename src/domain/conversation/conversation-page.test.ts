import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Fact, FactBody } from '../fact.ts';
import { FLEET_ACTOR } from '../principal.ts';
import type { DetailedLogRow } from '../task.ts';
import { placeOf } from './conversation-cursor.ts';
import type { ConversationEntry } from './conversation-entry.ts';
import { CONVERSATION_LIMITS } from './conversation-limits.ts';
import { conversationPage, type ConversationDirection } from './conversation-page.ts';
import { CONVERSATION_FACTS, entryOfFact } from './entry-of-fact.ts';
import { entryOfLog } from './entry-of-log.ts';
import type { LogDetail } from './log-detail.ts';

const timeOf = (second: number): string => new Date(1_800_000_000_000 + second * 1000).toISOString();

function row(id: number, second: number, message = `line ${id}`, detail?: LogDetail): DetailedLogRow {
  const kept = detail === undefined ? null : JSON.stringify(detail);
  return { id, timestamp: timeOf(second), level: 'INFO', type: 'output', message, detail: kept };
}

function fact(seq: number, second: number, body: FactBody): Fact {
  return { seq, at: timeOf(second), awake_ms: 0, boot: '', by: FLEET_ACTOR, body };
}

interface Kept {
  readonly rows: readonly DetailedLogRow[];
  readonly facts: readonly Fact[];
}

/** As a journal answers. */
function pageOf({ rows, facts }: Kept, direction: ConversationDirection, limit: number, cursor?: string) {
  const end = { log: rows.at(-1)?.id ?? 0, fact: facts.at(-1)?.seq ?? 0 };
  const isOlder = direction === 'older';
  const from = cursor === undefined ? (isOlder ? end : { log: 0, fact: 0 }) : placeOf(cursor);
  const shown = facts.filter(({ body }) => CONVERSATION_FACTS.some((kind) => kind === body.kind));
  const reading = isOlder
    ? {
        rows: rows.filter(({ id }) => id <= from.log).toReversed(),
        facts: shown.filter(({ seq }) => seq <= from.fact).toReversed(),
      }
    : {
        rows: rows.filter(({ id }) => id > from.log),
        facts: shown.filter(({ seq }) => seq > from.fact),
      };
  const before = shown.findLast(({ seq }) => seq <= from.fact);
  return conversationPage({ direction, limit }, { from, end, before, ...reading }, (item) =>
    'row' in item ? entryOfLog(item.row) : entryOfFact(item.fact, () => undefined),
  );
}

const conversation: fc.Arbitrary<Kept> = fc
  .array(
    fc.record({ wait: fc.nat({ max: 2 }), pick: fc.constantFrom('log', 'started', 'report', 'other') }),
    {
      maxLength: 40,
    },
  )
  .map((steps) => {
    const rows: DetailedLogRow[] = [];
    const facts: Fact[] = [];
    let second = 0;
    for (const { wait, pick } of steps) {
      second += wait;
      const seq = facts.length + 1;
      if (pick === 'log') rows.push(row(rows.length + 1, second));
      else if (pick === 'started')
        facts.push(fact(seq, second, { kind: 'task.started', task_id: `t${seq}`, message: `do ${seq}` }));
      else if (pick === 'report')
        facts.push(
          fact(seq, second, {
            kind: 'report',
            report_id: `r${seq}`,
            message: 'm',
            uri: null,
            state: 'working',
          }),
        );
      else facts.push(fact(seq, second, { kind: 'agent.ready' }));
    }
    return { rows, facts };
  });

function walk(kept: Kept, direction: ConversationDirection, limit: number): readonly ConversationEntry[] {
  const all: ConversationEntry[] = [];
  let cursor: string | undefined;
  for (;;) {
    const { entries, older, newer, has_newer } = pageOf(kept, direction, limit, cursor);
    expect(entries.length).toBeLessThanOrEqual(limit);
    if (direction === 'older') all.unshift(...entries);
    else all.push(...entries);
    if (direction === 'older' ? older === null : !has_newer) return all;
    cursor = direction === 'older' ? (older ?? undefined) : newer;
  }
}

const ids = (entries: readonly ConversationEntry[]): readonly string[] => entries.map(({ id }) => id);

describe('a page of a conversation', () => {
  it('gives every entry once and in the same order, both ways and with any page size', () => {
    fc.assert(
      fc.property(conversation, fc.integer({ min: 1, max: 9 }), (kept, limit) => {
        const all = pageOf(kept, 'newer', 1_000);
        expect(all).toMatchObject({ older: null, has_newer: false });
        expect(ids(all.entries)).toEqual(ids(all.entries.toSorted((a, b) => a.at.localeCompare(b.at))));
        expect(ids(walk(kept, 'older', limit))).toEqual(ids(all.entries));
        expect(ids(walk(kept, 'newer', limit))).toEqual(ids(all.entries));
      }),
    );
  });

  it('gives only what is new after the newer cursor', () => {
    fc.assert(
      fc.property(conversation, (kept) => {
        const { newer } = pageOf(kept, 'older', 5);
        expect(pageOf(kept, 'newer', 5, newer)).toMatchObject({ entries: [], newer, has_newer: false });
        const next = row(kept.rows.length + 1, 1_000);
        const later = pageOf({ ...kept, rows: [...kept.rows, next] }, 'newer', 5, newer);
        expect(ids(later.entries)).toEqual([`log-${next.id}`]);
      }),
    );
  });

  it('puts the beginning of a task before its lines, and its end after them, at the same time', () => {
    const facts = [
      fact(1, 0, { kind: 'task.started', task_id: 't', message: 'do it' }),
      fact(2, 0, { kind: 'task.ended', task_id: 't', state: 'complete', reason: 'done', output: 'line 1' }),
    ];
    const { entries } = pageOf({ rows: [row(1, 0)], facts }, 'older', 10);
    expect(entries.map(({ kind }) => kind)).toEqual(['task', 'output', 'task_end']);
    expect(entries.at(-1)).toMatchObject({ result: 'line 1', state: 'complete' });
  });

  it('leaves out the text of a task in the log of an agent that others write to', () => {
    const facts = [fact(1, 0, { kind: 'task.started', task_id: 't', message: 'do it' })];
    const input = { ...row(1, 0, 'do it'), type: 'input' } as const;
    const other = { ...row(2, 1, 'and this'), type: 'input' } as const;
    const { entries } = pageOf({ rows: [input, other], facts }, 'older', 10);
    expect(entries).toMatchObject([{ kind: 'task' }, { kind: 'message', from: 'user', text: 'and this' }]);
  });

  it('stops before its answer becomes too large, and goes on from there', () => {
    const text = 'x'.repeat(CONVERSATION_LIMITS.text);
    const rows = Array.from({ length: 100 }, (_, index) => row(index + 1, index, text));
    const page = pageOf({ rows, facts: [] }, 'newer', 100);
    expect(JSON.stringify(page).length).toBeLessThan(CONVERSATION_LIMITS.answer * 1.1);
    expect(page.has_newer).toBe(true);
    expect(pageOf({ rows, facts: [] }, 'newer', 100, page.newer).entries[0]?.id).toBe(
      `log-${page.entries.length + 1}`,
    );
  });
});
