import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstUnseen, withRange, type Range } from './seen-range.ts';

describe('seen ranges', () => {
  it('is complete only without a gap, whatever came first', () => {
    const seen = [[0, 100] as const, [300, 500] as const].reduce<readonly Range[]>(withRange, []);
    expect(firstUnseen(seen, 500)).toBe(100);
    expect(firstUnseen(withRange(seen, [100, 300]), 500)).toBeUndefined();
    expect(firstUnseen([], 10)).toBe(0);
    expect(firstUnseen([[5, 500]], 500)).toBe(0);
  });

  it('knows each pixel that was seen, and no other', () => {
    const range = fc
      .tuple(fc.nat(60), fc.nat(20))
      .map(([from, more]): Range => [from * 10, (from + more) * 10]);
    fc.assert(
      fc.property(fc.array(range, { maxLength: 12 }), (parts) => {
        const seen = parts.reduce<readonly Range[]>(withRange, []);
        for (let at = 5; at < 800; at += 10) {
          const inside = ([from, to]: Range): boolean => from < at && at < to;
          expect(seen.some(inside)).toBe(parts.some(inside));
        }
        expect(seen.every(([from], index) => index === 0 || from > (seen[index - 1]?.[1] ?? 0) + 1)).toBe(
          true,
        );
      }),
    );
  });
});
