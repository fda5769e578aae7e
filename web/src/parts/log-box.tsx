import type { ComponentChildren, JSX } from 'preact';
import { useRef } from 'preact/hooks';
import { useFollowEnd } from './use-follow-end.ts';

/** Lines of output, newest last. The end stays in sight until the reader scrolls up. */
export function LogBox({
  label,
  tall = false,
  children,
}: {
  label: string;
  tall?: boolean;
  children: ComponentChildren;
}): JSX.Element {
  const box = useRef<HTMLPreElement>(null);
  const lines = useRef<HTMLDivElement>(null);
  useFollowEnd(lines, box);
  return (
    <pre ref={box} class={`log ${tall ? 'tall' : ''}`} tabIndex={0} aria-label={label}>
      <div ref={lines} class="lines">
        {children}
      </div>
    </pre>
  );
}
