import { useEffect, useMemo } from 'preact/hooks';
import type { LiveEvent } from './api/event-stream.ts';
import { conflicts, fleet, type ConflictRow } from './api/live.ts';
import { useObservable } from './api/observable.ts';
import { keepPutAway, putAwayIds } from './api/put-away.ts';
import { useQuery } from './api/use-query.ts';
import { conflictId, failingCiId, needsPerson, type Waiting } from './needs-person.ts';

/** All that waits for a person; undefined until the fleet was loaded. */
export function useWaiting(): readonly Waiting[] | undefined {
  const data = useObservable(fleet);
  const found = useObservable(conflicts);
  const away = useObservable(putAwayIds);
  return useMemo(
    () => (data === undefined ? undefined : needsPerson(data, found ?? [], away)),
    [data, found, away],
  );
}

const MOVES = new Set(['task.ended', 'checkpoint', 'landed', 'conflict', 'agent.deleted']);

/** Whether branches may have moved. */
export function movesBranches({ kind }: LiveEvent): boolean {
  return MOVES.has(kind);
}

const NONE: readonly ConflictRow[] = [];

/** Looks for conflicts whenever branches may have moved, for all views. */
export function useFollowConflicts(): void {
  const data = useObservable(fleet);
  const count = data?.agents.length ?? 0;
  const found = useQuery('list_conflicts', {}, { enabled: count > 1, refreshOn: movesBranches });
  const current = count > 1 ? found.data?.conflicts : data === undefined ? undefined : NONE;
  useEffect(() => {
    conflicts.set(current);
    if (data === undefined || current === undefined) return;
    const ids = new Set([
      ...current.map(conflictId),
      ...data.agents.flatMap((agent) => failingCiId(agent) ?? []),
    ]);
    keepPutAway((id) => ids.has(id));
  }, [data, current]);
}
