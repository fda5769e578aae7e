import Anser from 'anser';
import type { JSX } from 'preact';
import { visible } from './visible.ts';

/** What a program printed: its colours as classes, everything else as text. */
export function AnsiText({ text }: { text: string }): JSX.Element {
  if (!text.includes('\u001B')) return <bdi>{visible(text)}</bdi>;
  const parts = Anser.ansiToJson(text, { use_classes: true, remove_empty: true });
  return (
    <bdi>
      {parts.map(({ content, fg, bg, decorations }, index) => (
        <span
          key={index}
          class={[fg, bg === null ? null : `on-${bg}`, ...decorations]
            .filter((each) => /^[a-z-]+$/.test(each ?? ''))
            .join(' ')}
        >
          {visible(content)}
        </span>
      ))}
    </bdi>
  );
}
