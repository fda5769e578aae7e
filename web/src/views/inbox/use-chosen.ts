import type { RefObject } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { nextAfter } from './kept-order.ts';

const SETTLE_MS = 600;

/** The entry that keys answer. When it is gone, the one below it follows, and has the focus; after the last the heading has. */
export function useChosen(
  order: readonly string[],
  heading: RefObject<HTMLElement | null>,
): readonly [string | undefined, (id: string | undefined) => void] {
  const [chosen, setChosen] = useState<string>();
  const before = useRef(order);
  const isThere = chosen !== undefined && order.includes(chosen);
  const next = isThere ? undefined : nextAfter(chosen, before.current, order);
  if (isThere || order.length === 0) before.current = order;
  const hadEntries = useRef(order.length > 0);
  // A key that was meant for an entry that is just gone must not answer the next one.
  useEffect(() => {
    if (next === undefined) return;
    const timer = setTimeout(() => setChosen(next), SETTLE_MS);
    return () => clearTimeout(timer);
  }, [next]);
  useEffect(() => {
    if (!isThere || !isFree(document.activeElement)) return;
    const card = document.querySelector<HTMLElement>(`[data-waiting="${CSS.escape(chosen)}"]`);
    if (card?.contains(document.activeElement) === false) card.focus();
  }, [chosen, isThere]);
  useEffect(() => {
    if (order.length === 0 && hadEntries.current && isFree(document.activeElement)) heading.current?.focus();
    hadEntries.current = order.length > 0;
  }, [order.length]);
  return [isThere ? chosen : undefined, setChosen];
}

/** Whether the focus can move: nobody writes. */
function isFree(element: Element | null): boolean {
  return element?.matches('input, textarea, select') !== true;
}
