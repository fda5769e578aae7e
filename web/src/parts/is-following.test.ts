import { describe, expect, it } from 'vitest';
import { isFollowing } from './is-following.ts';

const [shown, byReader] = [100, false];

describe('isFollowing', () => {
  it('ends when the reader scrolls up, and begins again at the end', () => {
    const before = { following: true, top: 900, height: 1_000 };
    expect(isFollowing(before, { top: 600, height: 1_000, shown, byReader })).toBe(false);
    expect(
      isFollowing({ ...before, following: false, top: 600 }, { top: 880, height: 1_000, shown, byReader }),
    ).toBe(true);
  });

  it('ends when the reader scrolls up while lines become lower that came into sight', () => {
    const before = { following: true, top: 900, height: 1_000 };
    expect(isFollowing(before, { top: 600, height: 980, shown, byReader: true })).toBe(false);
  });

  it('ends with the first small step of the reader, and not when that is to the end', () => {
    const before = { following: true, top: 900, height: 1_000 };
    expect(isFollowing(before, { top: 890, height: 1_000, shown, byReader: true })).toBe(false);
    expect(isFollowing(before, { top: 890, height: 1_000, shown, byReader })).toBe(true);
    expect(isFollowing(before, { top: 700, height: 800, shown, byReader: true })).toBe(true);
  });

  it('goes on when something was added, or when it all became shorter', () => {
    const before = { following: true, top: 900, height: 1_000 };
    expect(isFollowing(before, { top: 900, height: 3_000, shown, byReader })).toBe(true);
    expect(isFollowing(before, { top: 300, height: 600, shown, byReader })).toBe(true);
    expect(
      isFollowing(
        { following: false, top: 100, height: 1_000 },
        { top: 200, height: 2_000, shown, byReader },
      ),
    ).toBe(false);
  });
});
