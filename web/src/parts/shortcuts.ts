import { useEffect, useRef } from 'preact/hooks';

export type Shortcuts = Readonly<Record<string, () => void>>;

/** Keys while no field has the focus and no dialog is open. Two keys after one another are written `g i`. */
export function useShortcuts(shortcuts: Shortcuts): void {
  const current = useRef(shortcuts);
  current.current = shortcuts;
  useEffect(() => {
    let first = '';
    let timer: ReturnType<typeof setTimeout> | undefined;
    const onKey = (event: KeyboardEvent): void => {
      if (
        event.ctrlKey ||
        event.metaKey ||
        event.altKey ||
        event.defaultPrevented ||
        event.repeat ||
        isTyping(event.target)
      )
        return;
      const found = current.current[`${first}${event.key}`] ?? current.current[event.key];
      const starts = Object.keys(current.current).some((keys) => keys.startsWith(`${event.key} `));
      clearTimeout(timer);
      first = '';
      if (found !== undefined) {
        event.preventDefault();
        found();
      } else if (starts) {
        first = `${event.key} `;
        timer = setTimeout(() => {
          first = '';
        }, 1_000);
      }
    };
    addEventListener('keydown', onKey);
    return () => {
      removeEventListener('keydown', onKey);
      clearTimeout(timer);
    };
  }, []);
}

function isTyping(target: EventTarget | null): boolean {
  if (document.querySelector('dialog[open]') !== null) return true;
  return (
    target instanceof HTMLElement &&
    target.matches('input:not([type=checkbox]), textarea, select, [contenteditable]')
  );
}
