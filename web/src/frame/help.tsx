import type { JSX } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { PLACES } from './places.ts';

const KEYS: readonly (readonly [string, string])[] = [
  ['Ctrl K or ⌘ K', 'Go to an agent or a view, or do something'],
  ['?', 'Show this list'],
  ['c', 'Create an agent'],
  ...PLACES.map(({ key, label }) => [`g ${key}`, `Show ${label}`] as const),
  ['j and k', 'Next or previous entry (inbox, fleet)'],
  ['y', 'Allow (inbox)'],
  ['n', 'Deny (inbox)'],
  ['1 to 9', 'Choose an answer (inbox)'],
  ['a', 'Mark the alert of an agent as seen (inbox)'],
  ['/', 'Search (fleet)'],
  ['x', 'Select the agent (fleet)'],
  ['Enter', 'Open the agent'],
  ['[ and ]', 'Previous or next tab (agent)'],
  ['Escape', 'Close a dialog'],
];

export function Help({ onClose }: { onClose: () => void }): JSX.Element {
  return (
    <Dialog title="Keyboard shortcuts" onClose={onClose}>
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
