import { useEffect, useRef } from 'preact/hooks';
import { followStorage } from '../api/follow-storage.ts';
import { Observable } from '../api/observable.ts';

export type Shortcuts = Readonly<Record<string, () => void>>;

const KEY = 'fleet-shortcuts';
const NEXT_KEY_MS = 1_000;

/** Whether keys alone do something. Who dictates to the browser, or hits keys by chance, turns them off in Settings. */
export const shortcutsOn = new Observable(areOn());
followStorage(KEY, () => shortcutsOn.set(areOn()));

export function turnShortcuts(on: boolean): void {
  if (on) localStorage.removeItem(KEY);
  else localStorage.setItem(KEY, 'off');
  shortcutsOn.set(on);
}

/** Of all that is shown. The last one wins. */
const shown = new Set<{ readonly current: Shortcuts }>();
/** The first key of two, while the second may come: no other meaning of the second key counts then. */
let first = '';
let timer: ReturnType<typeof setTimeout> | undefined;

/** Keys while no field has the focus and no dialog is open. Two keys after one another are written `g i`. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    if (shown.size === 0) addEventListener('keydown', onKey);
    shown.add(current);
    return () => {
      shown.delete(current);
      if (shown.size === 0) removeEventListener('keydown', onKey);
    };
  }, []);
}

function areOn(): boolean {
  return localStorage.getItem(KEY) !== 'off';
}

function onKey(event: KeyboardEvent): void {
  if (!shortcutsOn.value || event.defaultPrevented || event.repeat || isTyping(event.target)) return;
  if (event.ctrlKey || event.metaKey || event.altKey || event.key === 'Shift') return;
  const all: Shortcuts = Object.assign({}, ...[...shown].map(({ current }) => current));
  const keys = `${first}${event.key}`;
  const found = all[keys];
  clearTimeout(timer);
  first = '';
  if (found !== undefined) {
    event.preventDefault();
    found();
  } else if (Object.keys(all).some((each) => each.startsWith(`${keys} `))) {
    first = `${keys} `;
    timer = setTimeout(() => {
      first = '';
    }, NEXT_KEY_MS);
  }
}

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  );
}
