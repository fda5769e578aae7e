import type { JSX } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { PLACES } from './places.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K or ⌘ K', 'Go to an agent or a view, or do something'],
  ['?', 'Show this list'],
  ['c', 'Create an agent'],
  ...PLACES.map(({ key, label }) => [`g ${key}`, `Show ${label}`] as const),
  ['j and k', 'Next or previous entry (inbox, fleet)'],
  ['y', 'Allow, once all of it was on the screen, or show the rest (inbox)'],
  ['n', 'Deny (inbox)'],
  ['1 to 9', 'Choose an answer (inbox)'],
  ['a', 'Mark as seen, or put away (inbox)'],
  ['/', 'Search (fleet)'],
  ['x', 'Select the agent of the row that has the focus (fleet)'],
  ['Enter', 'Open the agent'],
  ['[ and ]', 'Previous or next tab (agent)'],
  ['Escape', 'Close a dialog'],
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
      <p class="quiet">Single keys can be turned off in Settings.</p>
      <dl class="keys">
        {KEYS.map(([keys, what]) => (
          <div key={keys}>
            <dt>
              <kbd>{keys}</kbd>
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}
