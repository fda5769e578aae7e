import type { RefObject } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import { isFollowing } from './is-following.ts';

const BY_READER = ['wheel', 'touchmove', 'keydown', 'pointerdown'];
/** A scroll that comes later than this was not the reader's. */
const READER_MS = 1_000;

export interface FollowedEnd {
  readonly following: boolean;
  showEnd(): void;
}

/** Keeps the end of what grows in sight until the reader scrolls up, and again once they are back at the end. `scroller` is
 *  what scrolls; without it the window does. */
export function useFollowEnd(
  content: RefObject<HTMLElement | null>,
  scroller?: RefObject<HTMLElement | null>,
): FollowedEnd {
  const [following, setFollowing] = useState(true);
  const state = useRef({ following: true, top: 0, height: 0 });
  const showEnd = (): void => {
    const box = scroller === undefined ? document.documentElement : scroller.current;
    if (box === null) return;
    state.current.following = true;
    setFollowing(true);
    box.scrollTop = box.scrollHeight;
  };
  useLayoutEffect(() => {
    if (state.current.following) showEnd();
  });
  useEffect(() => {
    const box = scroller === undefined ? document.documentElement : scroller.current;
    if (box === null) return;
    let actedAt = -Infinity;
    const onActed = (event: Event): void => {
      actedAt = event.timeStamp;
      // Before the scroll that follows: what comes meanwhile must not take the reader back.
      if (event instanceof WheelEvent && event.deltaY < 0 && box.scrollTop > 0) {
        state.current.following = false;
        setFollowing(false);
      }
    };
    const onScroll = ({ timeStamp }: Event): void => {
      const { scrollTop: top, scrollHeight: height, clientHeight: shown } = box;
      const byReader = timeStamp - actedAt < READER_MS;
      const now = isFollowing(state.current, { top, height, shown, byReader });
      state.current = { following: now, top, height };
      setFollowing(now);
    };
    // What was added may become higher later: text that is laid out when it comes into sight, or colours that load.
    const grown = new ResizeObserver(() => {
      if (state.current.following) box.scrollTop = box.scrollHeight;
    });
    if (content.current !== null) grown.observe(content.current);
    const target = scroller === undefined ? window : box;
    target.addEventListener('scroll', onScroll, { passive: true });
    for (const kind of BY_READER) target.addEventListener(kind, onActed, { passive: true });
    return () => {
      grown.disconnect();
      for (const kind of BY_READER) target.removeEventListener(kind, onActed);
      target.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { following, showEnd };
}
