import { followStorage } from './follow-storage.ts';
import { Observable } from './observable.ts';

const KEY = 'fleet-put-away';

/** What a person has put away in this browser, of what no agent waits for: conflicts, and CI that fails. */
export const putAwayIds = new Observable<ReadonlySet<string>>(new Set(stored()));

followStorage(KEY, () => putAwayIds.set(new Set(stored())));

export function putAway(id: string): void {
  keep([...putAwayIds.value, id]);
}

/** Forgets what is no longer the case: when it comes again, it is shown again. */
export function keepPutAway(current: (id: string) => boolean): void {
  const left = [...putAwayIds.value].filter(current);
  if (left.length < putAwayIds.value.size) keep(left);
}

function keep(ids: readonly string[]): void {
  localStorage.setItem(KEY, JSON.stringify(ids));
  putAwayIds.set(new Set(ids));
}

function stored(): readonly string[] {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(KEY) ?? '[]');
    return Array.isArray(value) ? value.filter((id) => typeof id === 'string') : [];
  } catch {
    return [];
  }
}
