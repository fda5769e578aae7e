import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { fleet } from '../api/live.ts';
import { useObservable } from '../api/observable.ts';
import { Dialog } from '../parts/dialog.tsx';
import { go } from '../router.tsx';
import type { Place } from './places.ts';

interface Entry {
  readonly label: string;
  readonly hint: string;
  readonly to: string;
}

const MOST = 50;

/** Everything by its name: views, agents, and what can be done. */
export function Palette({
  places,
  mayCreate,
  onClose,
}: {
  places: readonly Place[];
  mayCreate: boolean;
  onClose: () => void;
}): JSX.Element {
  const data = useObservable(fleet);
  const [text, setText] = useState('');
  const [chosen, setChosen] = useState(0);
  const all: readonly Entry[] = [
    ...places.map(({ to, label }) => ({ to, label, hint: 'view' })),
    ...(mayCreate ? [{ to: '/new', label: 'Create an agent', hint: 'action' }] : []),
    ...(data?.agents ?? []).flatMap(({ name, status, project }) => [
      { to: `/agents/${name}`, label: name, hint: `${status}, ${project}` },
      { to: `/agents/${name}/changes`, label: `${name}: changes`, hint: 'diff, review, land' },
    ]),
  ];
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const found = all
    .filter(({ label, hint }) => words.every((word) => `${label} ${hint}`.toLowerCase().includes(word)))
    .slice(0, MOST);
  const at = Math.min(chosen, found.length - 1);
  const marked = found[at]?.to;
  useEffect(
    () => document.getElementById(`palette-${at}`)?.scrollIntoView({ block: 'nearest' }),
    [at, marked],
  );
  const open = (entry: Entry | undefined): void => {
    if (entry === undefined) return;
    onClose();
    go(entry.to);
  };
  const onKey = (event: KeyboardEvent): void => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) {
      event.preventDefault();
      setChosen(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === 'Enter') {
      event.preventDefault();
      open(found[at]);
    }
  };
  return (
    <Dialog title="Search or run" onClose={onClose}>
      <input
        type="text"
        role="combobox"
        aria-expanded="true"
        aria-controls="palette-list"
        aria-activedescendant={found.length === 0 ? undefined : `palette-${at}`}
        aria-label="Name of an agent, a view or an action"
        placeholder="Name of an agent, a view or an action"
        autofocus
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKey}
      />
      <ul id="palette-list" role="listbox" aria-label="Found" class="palette">
        {found.map((entry, index) => (
          <li
            key={entry.to}
            id={`palette-${index}`}
            role="option"
            aria-selected={index === at}
            onClick={() => open(entry)}
          >
            <bdi>{entry.label}</bdi> <span class="quiet">{entry.hint}</span>
          </li>
        ))}
      </ul>
      {found.length === 0 ? <p class="quiet">No matches.</p> : null}
    </Dialog>
  );
}
