import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { connection } from '../api/event-stream.ts';
import { fleet, loadProblem } from '../api/live.ts';
import { useObservable } from '../api/observable.ts';
import type { SessionInfo } from '../api/session.ts';
import { useMay } from '../parts/button.tsx';
import { useShortcuts } from '../parts/shortcuts.ts';
import { go, Link, useLocation } from '../router.tsx';
import { useFollowConflicts, useWaiting } from '../use-waiting.ts';
import { useNotifications } from './notifications.ts';
import { Palette } from './palette.tsx';
import { Help } from './help.tsx';
import { PLACES } from './places.ts';

/** What is around every view: navigation, the state of the connection, palette and shortcuts. */
export function Frame({ info, children }: { info: SessionInfo; children: ComponentChildren }): JSX.Element {
  const { path } = useLocation();
  const [open, setOpen] = useState<'palette' | 'help'>();
  useFollowConflicts();
  const known = useWaiting();
  const waiting = known ?? [];
  const mayCreate = useMay('create_agent');
  const places = PLACES.filter(({ to }) => to !== '/chat' || info.chat);
  useTitle(waiting.length, nameOf(path));
  useFocusOnView(path);
  useNotifications(known);
  useShortcuts({
    ...Object.fromEntries(places.map(({ key, to }) => [`g ${key}`, () => go(to)])),
    ...(mayCreate ? { c: () => go('/new') } : {}),
    '?': () => setOpen('help'),
  });
  useEffect(() => {
    const onKey = (event: KeyboardEvent): void => {
      if (event.key !== 'k' || !(event.ctrlKey || event.metaKey)) return;
      event.preventDefault();
      setOpen((before) => (before === 'palette' ? undefined : 'palette'));
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, []);
  return (
    <div class="frame">
      <a class="skip" href="#view">
        Skip to the content
      </a>
      <nav aria-label="Views">
        <Link to="/" class="brand">
          Fleet
        </Link>
        <ul>
          {places.map(({ to, label, icon }) => (
            <li key={to}>
              <Link
                to={to}
                aria-current={
                  path === to || (to === '/fleet' && path.startsWith('/agents/')) ? 'page' : undefined
                }
              >
                <svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true">
                  <path
                    d={icon}
                    fill="none"
                    stroke="currentColor"
                    stroke-width="1.5"
                    stroke-linejoin="round"
                    stroke-linecap="round"
                  />
                </svg>
                <span>{label}</span>
                {to === '/inbox' && waiting.length > 0 ? (
                  <span class="count">
                    {waiting.length}
                    <span class="visually-hidden"> waiting</span>
                  </span>
                ) : null}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <header class="bar">
        <ConnectionState />
        <button type="button" class="search" onClick={() => setOpen('palette')}>
          <span>Search or run…</span>
          <kbd>Ctrl K</kbd>
        </button>
        {mayCreate ? (
          <Link to="/new" class="button primary">
            New agent
          </Link>
        ) : (
          <span class="tag" title="This token may only read">
            read only
          </span>
        )}
      </header>
      <main id="view" tabIndex={-1}>
        {children}
      </main>
      {open === 'palette' ? (
        <Palette places={places} mayCreate={mayCreate} onClose={() => setOpen(undefined)} />
      ) : null}
      {open === 'help' ? <Help onClose={() => setOpen(undefined)} /> : null}
    </div>
  );
}

function ConnectionState(): JSX.Element {
  const state = useObservable(connection);
  const problem = useObservable(loadProblem);
  const data = useObservable(fleet);
  const missing = data?.unavailable.map(({ backend, message }) => `${backend}: ${message}`).join('; ') ?? '';
  const texts = {
    connecting: 'Connecting…',
    lost: 'Connection lost, trying again…',
    paused: 'Paused',
    live: 'Live',
  };
  const text = state === 'live' ? problem || missing || texts.live : texts[state];
  return (
    <p class={`connection ${state === 'live' && text === 'Live' ? 'live' : 'lost'}`} role="status">
      <span class="mark" aria-hidden="true" />
      <bdi>{text}</bdi>
    </p>
  );
}

function useTitle(count: number, name: string): void {
  useEffect(() => {
    document.title = `${count === 0 ? '' : `(${count}) `}${name === '' ? '' : `${name} · `}Fleet`;
    const icon = document.querySelector<HTMLLinkElement>('link[rel=icon]');
    if (icon !== null) icon.href = iconOf(count);
  }, [count, name]);
}

/** What the address shows: an agent, or a view. */
function nameOf(path: string): string {
  const [, view = '', name = ''] = path.split('/');
  if (view === 'agents') return name;
  return view === 'new'
    ? 'New agent'
    : (PLACES.find(({ to }) => to === `/${view}` && to !== '/fleet')?.label ?? '');
}

/** A new view has the focus, so that a keyboard or a screen reader goes on there. */
function useFocusOnView(path: string): void {
  const before = useRef(path);
  useEffect(() => {
    if (before.current === path) return;
    before.current = path;
    document.getElementById('view')?.focus({ preventScroll: true });
  }, [path]);
}

function iconOf(count: number): string {
  const mark = count === 0 ? '' : "<circle cx='12' cy='4' r='4' fill='#d4543b'/>";
  const svg = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'><path d='M2 13 8 2l6 11-6-3z' fill='#3b6fd4'/>${mark}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
