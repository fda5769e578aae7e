import Anser from 'anser';
import type { JSX } from 'preact';
import { lastStates } from './last-states.ts';
import { visible } from './visible.ts';

/** What a program printed: its colours, everything else as text. */
export function AnsiText({ text }: { text: string }): JSX.Element {
  const shown = lastStates(text);
  if (!shown.includes('\u001B')) return <bdi>{visible(shown)}</bdi>;
  const parts = Anser.ansiToJson(shown, { use_classes: true, remove_empty: true });
  return (
    <bdi>
      {parts.map(({ content, fg, bg, fg_truecolor, bg_truecolor, decorations }, index) => {
        const [exact, behind] = [exactColour(fg, fg_truecolor), exactColour(bg, bg_truecolor)];
        return (
          <span
            key={index}
            class={[fg, bg === null ? null : `on-${bg}`, ...decorations]
              .filter((each) => /^[a-z-]+$/.test(each ?? ''))
              .join(' ')}
            style={{
              // Most of it is the colour of text, so that all of it is read in both themes, and none is hidden.
              ...(exact === null ? {} : { color: `color-mix(in srgb, rgb(${exact}) 38%, var(--text))` }),
              ...(behind === null ? {} : { background: `rgb(${behind}, 0.2)` }),
            }}
          >
            {visible(content)}
          </span>
        );
      })}
    </bdi>
  );
}

/** Of the 256 colours and of all others, which have no name. */
function exactColour(name: string | null, rgb: string | null): string | null {
  if (name === 'ansi-truecolor') return rgb;
  const number = Number(/^ansi-palette-(\d+)$/.exec(name ?? '')?.[1] ?? 0);
  if (number < 16) return null;
  if (number >= 232) return Array.from({ length: 3 }, () => 8 + (number - 232) * 10).join(', ');
  const cube = number - 16;
  return [Math.floor(cube / 36), Math.floor(cube / 6) % 6, cube % 6]
    .map((step) => (step === 0 ? 0 : 55 + step * 40))
    .join(', ');
}
