import { useEffect, useRef } from 'preact/hooks';
import { followStorage } from '../api/follow-storage.ts';
import { conflicts } from '../api/live.ts';
import { Observable } from '../api/observable.ts';
import type { Waiting } from '../needs-person.ts';

const KEY = 'fleet-notifications';
/** What is answered elsewhere by then is not worth a notification. */
const SETTLE_MS = 1_000;

/** Whether the user asked for notifications of this browser. */
export const notifying = new Observable(isOn());
followStorage(KEY, () => notifying.set(isOn()));

export async function askForNotifications(): Promise<string> {
  if (!('Notification' in globalThis)) return 'This browser has no notifications.';
  const permission = await Notification.requestPermission();
  if (permission === 'granted' && !canNotify()) return 'This browser shows no notifications of pages.';
  notifying.set(permission === 'granted');
  localStorage.setItem(KEY, permission === 'granted' ? 'on' : 'off');
  return permission === 'granted'
    ? 'You are notified when an agent needs you.'
    : 'The browser does not allow notifications.';
}

export function endNotifications(): void {
  localStorage.setItem(KEY, 'off');
  notifying.set(false);
}

/** Notifies of what is new while the page is not looked at. */
export function useNotifications(waiting: readonly Waiting[] | undefined): void {
  const seen = useRef<ReadonlySet<string>>(undefined);
  const knewConflicts = useRef(false);
  useEffect(() => {
    if (waiting === undefined) return;
    const before = seen.current;
    // They are looked for when the fleet is already there: the first ones found are not new.
    const hadConflicts = knewConflicts.current;
    const isNews = ({ kind }: Waiting): boolean => kind !== 'conflict' || hadConflicts;
    knewConflicts.current = conflicts.value !== undefined;
    seen.current = new Set(waiting.map(({ id }) => id));
    if (before === undefined || !notifying.value || document.visibilityState === 'visible') return;
    for (const each of waiting.filter((found) => !before.has(found.id) && isNews(found)))
      setTimeout(() => seen.current?.has(each.id) === true && notify(each), SETTLE_MS);
  }, [waiting]);
  useEffect(
    () => () => {
      seen.current = undefined;
    },
    [],
  );
}

function notify(waiting: Waiting): void {
  if (!notifying.value || document.visibilityState === 'visible') return;
  const { title, body } = textOf(waiting);
  const notification = new Notification(title, { body, tag: waiting.id });
  notification.addEventListener('click', () => window.focus());
}

function textOf(waiting: Waiting): { readonly title: string; readonly body: string } {
  switch (waiting.kind) {
    case 'approval': {
      const { agent_name, asked_by, tool } = waiting.approval;
      return { title: `${agent_name ?? asked_by} needs you`, body: tool };
    }
    case 'agent':
      return { title: `${waiting.agent.name} needs you`, body: waiting.agent.attention_reason ?? '' };
    case 'conflict': {
      const { agent, other, paths } = waiting.conflict;
      return { title: `${agent} conflicts with ${other ?? 'the base'}`, body: paths.join(', ') };
    }
  }
}

/** Some browsers of phones allow notifications, and refuse to make one. */
function canNotify(): boolean {
  try {
    new Notification('Fleet', { body: 'You are notified when an agent needs you.', silent: true }).close();
    return true;
  } catch {
    return false;
  }
}

function isOn(): boolean {
  return (
    'Notification' in globalThis &&
    Notification.permission === 'granted' &&
    localStorage.getItem(KEY) === 'on'
  );
}
