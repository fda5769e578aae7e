import { useRef, useState } from 'preact/hooks';
import type { Waiting } from '../../needs-person.ts';
import { keptOrder } from './kept-order.ts';

export interface KeptOrder {
  readonly order: readonly string[];
  /** Whether an entry came while this view was shown, and is still where it came. */
  isNew(id: string): boolean;
  bringFirst(ids: readonly string[]): void;
}

/** The order of the entries for as long as the view is shown. */
export function useKeptOrder(waiting: readonly Waiting[]): KeptOrder {
  const [first] = useState(() => new Set(waiting.map(({ id }) => id)));
  const [, again] = useState<object>();
  const shown = useRef<readonly string[]>([]);
  shown.current = keptOrder(
    shown.current,
    waiting.map(({ id }) => id),
  );
  // Conflicts are looked for when the view is already there, and nobody waits for an answer to them.
  const kinds = new Map(waiting.map(({ id, kind }) => [id, kind]));
  return {
    order: shown.current,
    isNew: (id) => !first.has(id) && kinds.get(id) !== 'conflict',
    bringFirst: (ids) => {
      for (const id of ids) first.add(id);
      shown.current = [...ids, ...shown.current.filter((id) => !ids.includes(id))];
      again({});
    },
  };
}
