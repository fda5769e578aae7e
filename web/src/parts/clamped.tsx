import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';

/** Text of which only the first lines are shown until more is wanted. */
export function Clamped({
  children,
  class: className = '',
}: {
  children: ComponentChildren;
  class?: string;
}): JSX.Element {
  const [open, setOpen] = useState(false);
  const [isLong, setLong] = useState(false);
  const text = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = text.current;
    if (element === null || open) return;
    const look = (): void => {
      if (element.classList.contains('clamp')) setLong(element.scrollHeight > element.clientHeight + 1);
    };
    const resized = new ResizeObserver(look);
    resized.observe(element);
    look();
    return () => resized.disconnect();
  }, [open, children]);
  return (
    <div class={`clamped ${className}`}>
      <div ref={text} class={open ? '' : 'clamp'}>
        {children}
      </div>
      {isLong ? (
        <button type="button" class="plain" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'less' : 'more'}
        </button>
      ) : null}
    </div>
  );
}
