import { describe, expect, it } from 'vitest';
import { isFollowing } from './is-following.ts';

const shown = 100;

describe('isFollowing', () => {
  it('ends when the reader scrolls up, and begins again at the end', () => {
    const before = { following: true, top: 900, height: 1_000 };
    expect(isFollowing(before, { top: 600, height: 1_000, shown })).toBe(false);
    expect(isFollowing({ ...before, following: false, top: 600 }, { top: 880, height: 1_000, shown })).toBe(
      true,
    );
  });

  it('goes on when something was added, or when it all became shorter', () => {
    const before = { following: true, top: 900, height: 1_000 };
    expect(isFollowing(before, { top: 900, height: 3_000, shown })).toBe(true);
    expect(isFollowing(before, { top: 300, height: 600, shown })).toBe(true);
    expect(
      isFollowing({ following: false, top: 100, height: 1_000 }, { top: 200, height: 2_000, shown }),
    ).toBe(false);
  });
});
