import { useEffect, useRef } from 'preact/hooks';
import { Observable } from '../api/observable.ts';
import type { Waiting } from '../needs-person.ts';

const KEY = 'fleet-notifications';

/** Whether the user asked for notifications of this browser. */
export const notifying = new Observable(isAllowed() && localStorage.getItem(KEY) === 'on');

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
export function useNotifications(waiting: readonly Waiting[]): void {
  const seen = useRef<ReadonlySet<string>>(undefined);
  useEffect(() => {
    const before = seen.current;
    seen.current = new Set(waiting.map(({ id }) => id));
    if (before === undefined || !notifying.value || document.visibilityState === 'visible') return;
    for (const each of waiting.filter(({ id }) => !before.has(id))) {
      const name =
        each.kind === 'agent' ? each.agent.name : (each.approval.agent_name ?? each.approval.asked_by);
      const body = each.kind === 'agent' ? (each.agent.attention_reason ?? '') : each.approval.tool;
      const notification = new Notification(`${name} needs you`, { body, tag: each.id });
      notification.addEventListener('click', () => window.focus());
    }
  }, [waiting]);
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

function isAllowed(): boolean {
  return 'Notification' in globalThis && Notification.permission === 'granted';
}
