const NEAR_END_PX = 40;

interface Before {
  readonly following: boolean;
  readonly top: number;
  readonly height: number;
}

interface Now {
  readonly top: number;
  readonly height: number;
  readonly shown: number;
  /** Whether the reader has just used the wheel, a finger, a key or the scroll bar. */
  readonly byReader: boolean;
}

/** Whether the end is still followed after a scroll: only the reader scrolls up, and what became shorter moves up by itself. */
export function isFollowing(before: Before, now: Now): boolean {
  const left = now.height - now.top - now.shown;
  const isUp = now.top < before.top - 1;
  // A wheel or a finger moves in small steps, of which the first ones are near the end.
  if (left <= 1 || (left <= NEAR_END_PX && !(isUp && now.byReader))) return true;
  return before.following && !(isUp && (now.byReader || now.height >= before.height));
}
