import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { factSequence } from '../../../test/support/fact-sequences.ts';
import { EMPTY_STATE, fold } from '../state.ts';
import { deriveStatus } from '../status.ts';
import { timelinePage, type TimelinePage } from './timeline-page.ts';

const seqs = ({ entries }: TimelinePage): readonly number[] => entries.map(({ fact }) => fact.seq);
const ALL = { cursor: undefined, limit: 1_000 } as const;

describe('a page of a timeline', () => {
  it('gives every fact once and in order, both ways and with any page size', () => {
    fc.assert(
      fc.property(factSequence, fc.integer({ min: 1, max: 7 }), (facts, limit) => {
        const all = facts.map(({ seq }) => seq);
        expect(seqs(timelinePage(facts, { ...ALL, direction: 'older' }))).toEqual(all);
        const back: number[] = [];
        let older: string | null | undefined;
        while (older !== null) {
          const page = timelinePage(facts, { cursor: older, direction: 'older', limit });
          back.unshift(...seqs(page));
          ({ older } = page);
        }
        expect(back).toEqual(all);
        const forth: number[] = [];
        let next: TimelinePage | undefined;
        do {
          next = timelinePage(facts, { cursor: next?.newer, direction: 'newer', limit });
          forth.push(...seqs(next));
        } while (next.has_newer);
        expect(forth).toEqual(all);
      }),
    );
  });

  it('has with each fact the status that all facts up to it lead to', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        for (const [index, entry] of timelinePage(facts, { ...ALL, direction: 'older' }).entries.entries()) {
          const { at, awake_ms, boot } = entry.fact;
          const then = { at: Date.parse(at), awake_ms, boot };
          const state = facts.slice(0, index + 1).reduce(fold, EMPTY_STATE);
          const { status, status_reason } = deriveStatus(state, { progress: then }, then);
          expect(entry).toMatchObject({ status, status_reason });
        }
      }),
    );
  });

  it('gives only what is new after the newer cursor, and refuses one that is none', () => {
    fc.assert(
      fc.property(factSequence, (facts) => {
        const { newer } = timelinePage(facts.slice(0, -1), { ...ALL, direction: 'older' });
        const next = timelinePage(facts, { cursor: newer, direction: 'newer', limit: 5 });
        expect(next.entries.map(({ fact }) => fact)).toEqual(facts.slice(-1));
        expect(timelinePage(facts, { cursor: next.newer, direction: 'newer', limit: 5 }).entries).toEqual([]);
      }),
    );
    expect(() => timelinePage([], { cursor: 'x', direction: 'older', limit: 1 })).toThrow('not a cursor');
  });
});
