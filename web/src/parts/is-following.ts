const NEAR_END_PX = 40;

interface Before {
  readonly following: boolean;
  readonly top: number;
  readonly height: number;
}

/** Whether the end is still followed after a scroll: only the reader scrolls up, and what became shorter moves up by itself. */
export function isFollowing(
  before: Before,
  now: { readonly top: number; readonly height: number; readonly shown: number },
): boolean {
  if (now.top + now.shown >= now.height - NEAR_END_PX) return true;
  const isUp = now.top < before.top - 1 && now.height >= before.height;
  return before.following && !isUp;
}
