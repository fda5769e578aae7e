import type { AnchorHTMLAttributes, ComponentChildren, JSX } from 'preact';
import { Observable, useObservable } from './api/observable.ts';

const place = new Observable(location.pathname + location.search);

addEventListener('popstate', () => place.set(location.pathname + location.search));

export function go(to: string, { replace = false } = {}): void {
  if (to === place.value) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', to);
  place.set(to);
  if (!replace) scrollTo(0, 0);
}

/** The path of the address, and its query. */
export function useLocation(): { readonly path: string; readonly query: URLSearchParams } {
  const [path = '/', query = ''] = useObservable(place).split('?');
  return { path, query: new URLSearchParams(query) };
}

/** The page of a list that the address names. */
export function pageIn(query: URLSearchParams): number {
  return Math.max(1, Math.floor(Number(query.get('page') ?? '1')) || 1);
}

/** Changes one parameter of the address, without a new entry in the history. */
export function setQuery(name: string, value: string): void {
  const [path = '/', text = ''] = place.value.split('?');
  const query = new URLSearchParams(text);
  if (value === '') query.delete(name);
  else query.set(name, value);
  go(query.size === 0 ? path : `${path}?${query.toString()}`, { replace: true });
}

export type LinkProps = Omit<AnchorHTMLAttributes, 'href' | 'role'> & {
  readonly to: string;
  readonly children: ComponentChildren;
};

/** A link to a view. Modified clicks open a new tab, as everywhere. */
export function Link({ to, children, ...rest }: LinkProps): JSX.Element {
  const onClick = (event: MouseEvent): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey || event.button !== 0) return;
    event.preventDefault();
    go(to);
  };
  return (
    <a {...rest} href={to} onClick={onClick}>
      {children}
    </a>
  );
}
