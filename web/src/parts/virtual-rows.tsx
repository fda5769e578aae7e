import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

const OVERSCAN = 8;

/** Rows of one height, of which only those in sight are in the document. The window scrolls. */
export function VirtualRows<Row>({
  rows,
  keyOf,
  height,
  label,
  children,
}: {
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  height: number;
  label: string;
  children: (row: Row, index: number) => ComponentChildren;
}): JSX.Element {
  const list = useRef<HTMLUListElement>(null);
  const [range, setRange] = useState<readonly [number, number]>([0, 40]);
  useEffect(() => {
    const measure = (): void => {
      const top = list.current?.getBoundingClientRect().top ?? 0;
      const first = Math.max(0, Math.floor(-top / height) - OVERSCAN);
      // A list that is far below the window has none.
      const last = Math.max(0, Math.ceil((innerHeight - top) / height) + OVERSCAN);
      setRange((before) => (before[0] === first && before[1] === last ? before : [first, last]));
    };
    measure();
    addEventListener('scroll', measure, { passive: true });
    addEventListener('resize', measure);
    // What is above the list may grow or go.
    const moved = new ResizeObserver(measure);
    moved.observe(document.body);
    return () => {
      moved.disconnect();
      removeEventListener('scroll', measure);
      removeEventListener('resize', measure);
    };
  }, [height, rows.length]);
  const [first, last] = range;
  return (
    <ul ref={list} class="rows" aria-label={label} style={{ height: `${rows.length * height}px` }}>
      {rows.slice(first, last).map((row, index) => (
        <li
          key={keyOf(row)}
          aria-setsize={rows.length}
          aria-posinset={first + index + 1}
          style={{ height: `${height}px`, transform: `translateY(${(first + index) * height}px)` }}
        >
          {children(row, first + index)}
        </li>
      ))}
    </ul>
  );
}
