import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { firstUnseen, withRange, type Range } from './seen-range.ts';

/** A key that was meant to show the rest must not allow all of it. */
const SETTLE_MS = 600;

/** Whether every line of something tall was on the screen since it is shown, and a way to see the next part. */
export function useSeen(element: RefObject<HTMLElement | null>): {
  readonly complete: boolean;
  showRest(): void;
} {
  const [complete, setComplete] = useState(false);
  const seen = useRef<readonly Range[]>([]);
  const width = useRef(0);
  const askedAt = useRef(-Infinity);
  useEffect(() => {
    let settling: ReturnType<typeof setTimeout> | undefined;
    const look = (): void => {
      const shown = element.current;
      if (shown === null || document.visibilityState !== 'visible') return;
      const { top, height, width: current } = shown.getBoundingClientRect();
      // The lines are broken elsewhere now.
      if (Math.abs(current - width.current) > 1) seen.current = [];
      width.current = current;
      const open = openWindow();
      seen.current = withRange(seen.current, [
        Math.max(0, open.top - top),
        Math.min(height, open.bottom - top),
      ]);
      const isSeen = firstUnseen(seen.current, height) === undefined;
      const wait = askedAt.current + SETTLE_MS - performance.now();
      clearTimeout(settling);
      if (isSeen && wait > 0) settling = setTimeout(() => setComplete(true), wait);
      else setComplete(isSeen);
    };
    look();
    const resized = new ResizeObserver(look);
    if (element.current !== null) resized.observe(element.current);
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', look);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearTimeout(settling);
      resized.disconnect();
      removeEventListener('scroll', look);
      removeEventListener('resize', look);
      document.removeEventListener('visibilitychange', look);
    };
  }, []);
  const showRest = (): void => {
    askedAt.current = performance.now();
    const shown = element.current;
    if (shown === null) return;
    const { top, height } = shown.getBoundingClientRect();
    const next = firstUnseen(seen.current, height);
    if (next === undefined) return;
    scrollBy({ top: top + next - openWindow().top - 1 });
  };
  return { complete, showRest };
}

/** The part of the window that no bar covers. */
function openWindow(): { readonly top: number; readonly bottom: number } {
  let [top, bottom] = [0, innerHeight];
  for (const bar of document.querySelectorAll('.bar, .frame > nav, .covers, .task-box')) {
    const place = bar.getBoundingClientRect();
    if (place.width < innerWidth / 2 || place.height > innerHeight / 2) continue;
    if (place.top <= 1) top = Math.max(top, place.bottom);
    else if (place.bottom > innerHeight - 80) bottom = Math.min(bottom, Math.max(top, place.top));
  }
  return { top, bottom };
}
