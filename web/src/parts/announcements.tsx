import type { JSX } from 'preact';
import { Observable, useObservable } from '../api/observable.ts';
import { visible } from './visible.ts';

interface Announcement {
  readonly id: number;
  readonly text: string;
  readonly kind: 'news' | 'problem';
}

const SHOWN_MS = 8_000;
const MOST = 4;
const shown = new Observable<readonly Announcement[]>([]);
let last = 0;

/** Shows a sentence for some seconds, and has it read aloud. A problem stays until it is closed. */
export function announce(text: string, kind: Announcement['kind'] = 'news'): void {
  const id = ++last;
  const others = shown.value.filter((each) => each.text !== text);
  const oldest = others.filter((each) => each.kind === 'news').slice(0, -MOST);
  shown.set([...others.filter((each) => !oldest.includes(each)), { id, text, kind }]);
  if (kind === 'news') setTimeout(() => close(id), SHOWN_MS);
}

/** Takes back what is no longer the case. */
export function withdraw(text: string): void {
  shown.set(shown.value.filter((each) => each.text !== text));
}

function close(id: number): void {
  shown.set(shown.value.filter((each) => each.id !== id));
}

export function Announcements(): JSX.Element {
  const all = useObservable(shown);
  return (
    <div class="announcements" role="status" aria-live="polite">
      {all.map(({ id, text, kind }) => (
        <p key={id} class={`announcement ${kind}`}>
          <bdi>{visible(text)}</bdi>
          <button type="button" class="plain" aria-label="Close the message" onClick={() => close(id)}>
            ✕
          </button>
        </p>
      ))}
    </div>
  );
}
