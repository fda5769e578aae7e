import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pagingOf, rowsOfPage } from './paging.ts';

const rows = fc.record({
  first: fc.integer({ min: 1, max: 1000 }),
  total: fc.nat({ max: 300 }),
  page_size: fc.integer({ min: 1, max: 100 }),
});

describe('pages', () => {
  it('together hold every row exactly once, newest first', () => {
    fc.assert(
      fc.property(rows, ({ first, total, page_size }) => {
        const { total_pages } = pagingOf({ page: 1, page_size }, total);
        const all: number[] = [];
        for (let page = 1; page <= total_pages; page++) all.push(...numbersOf(page, first, total, page_size));
        expect(all).toEqual(Array.from({ length: total }, (_, index) => first + total - 1 - index));
      }),
    );
  });

  it('are full but for the last, and empty past the end', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 400 }), ({ first, total, page_size }, page) => {
        const { total_pages } = pagingOf({ page, page_size }, total);
        const size = numbersOf(page, first, total, page_size).length;
        if (page < total_pages) expect(size).toBe(page_size);
        else if (page === total_pages) expect(size).toBe(total - (total_pages - 1) * page_size);
        else expect(size).toBe(0);
      }),
    );
  });

  it('say whether there is one after and one before', () => {
    fc.assert(
      fc.property(rows, fc.integer({ min: 1, max: 400 }), ({ first, total, page_size }, page) => {
        const paging = pagingOf({ page, page_size }, total);
        const hasRows = (other: number): boolean =>
          other >= 1 && numbersOf(other, first, total, page_size).length > 0;
        expect(paging).toMatchObject({ page, page_size, total_count: total });
        expect(paging.has_next_page).toBe(hasRows(page + 1));
        expect(paging.has_previous_page).toBe(page > 1 && hasRows(1));
      }),
    );
  });
});

function numbersOf(page: number, first: number, total: number, page_size: number): number[] {
  const range = rowsOfPage({ page, page_size }, first, total);
  if (range === undefined) return [];
  return Array.from({ length: range.from - range.to + 1 }, (_, index) => range.from - index);
}
